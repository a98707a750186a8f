package workspace

import (
	"strings"
	"time"
	"unicode/utf8"

	"ahp-lsp/mapping"
)

// Disk is a file's content as it was last read.
type Disk struct {
	Known   bool          // it has been read, or found missing
	Text    *mapping.Text // nil: missing, binary, or unreadable
	Why     string        // of a nil text
	Missing bool          // there is no file
	Stamp   DiskStamp
}

// DiskStamp tells whether a file was written since it was read.
type DiskStamp struct {
	Modified time.Time
	Size     int64 // bytes
}

// readDisk wants a file read, once more if it is being read. Agents see the disk,
// so what a new comment is about is the text there, not the one in the buffer.
func (w *Workspace) readDisk(f *File) {
	if f.reading {
		f.again = true
		return
	}
	f.reading = true
	w.want(ReadDisk{f})
}

// DiskRead gives what was read of a file. The zero Disk is a fault of ours.
type DiskRead struct {
	File *File
	Disk Disk
}

func (e DiskRead) apply(w *Workspace) {
	f := e.File
	f.reading = false
	if !e.Disk.Known {
		e.Disk = Disk{Known: true, Why: "internal error, see the log"}
	}
	f.disk = e.Disk
	w.followRename(f)
	if f.again {
		f.again = false
		w.readDisk(f)
		return
	}
	w.anchorThreads(f)
	w.sendUnsavedMoves(f)
	w.touch(f)
}

// DecodeText is the text of a file's bytes, without a byte order mark; nil and
// why, if it is none.
func DecodeText(data []byte) (text *mapping.Text, why string) {
	str := strings.TrimPrefix(string(data), "\uFEFF")
	if strings.ContainsRune(str, 0) || !utf8.ValidString(str) {
		return nil, "it is binary, or not UTF-8"
	}
	return mapping.NewText(str), ""
}

// Reading reports whether a read of the file is under way: it may have been
// written since Disk was read.
func (f *File) Reading() bool { return f.reading }
