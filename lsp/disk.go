package lsp

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/mapping"
)

// maxDiskFile is the largest file whose text is read, in bytes. A comment in a
// larger one is shown at its line, unproven.
const maxDiskFile = 64 << 20

// diskStamp tells whether a file was written since it was read.
type diskStamp struct {
	modified time.Time
	size     int64
}

// readDisk reads a file in the background and then brings everything that
// depends on its content up to date. Agents see the disk, so what a new comment
// is about is the text there, not the one in the buffer.
func (s *Server) readDisk(f *file) {
	if f.reading {
		f.again = true
		return
	}
	f.reading = true
	path, ok := ahp.FilePath(f.uri)
	old := f.disk
	background(s, func(context.Context) disk {
		if !ok {
			return disk{known: true, why: "it is not a file"}
		}
		s.disks <- struct{}{}
		defer func() { <-s.disks }()
		return readFile(filepath.FromSlash(path), old)
	}, func(d disk) {
		f.reading = false
		f.disk = d
		if f.again {
			f.again = false
			s.readDisk(f)
			return
		}
		s.anchorThreads(f)
		s.touch(f)
		s.loaded(f)
	})
}

// readFile reads a text file, or returns old if it was not written since.
func readFile(path string, old disk) disk {
	info, err := os.Stat(path)
	if err != nil {
		why := err.Error()
		if errors.Is(err, fs.ErrNotExist) {
			why = "the file does not exist"
		}
		return disk{known: true, why: why}
	}
	stamp := diskStamp{info.ModTime(), info.Size()}
	switch {
	case old.known && old.text != nil && old.stamp == stamp && time.Since(stamp.modified) > 2*time.Second:
		// Within the resolution of file times an equal stamp proves nothing.
		return old
	case !info.Mode().IsRegular():
		return disk{known: true, why: "it is not a regular file"}
	case info.Size() > maxDiskFile:
		return disk{known: true, why: "the file is too large"}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return disk{known: true, why: err.Error()}
	}
	if old.text != nil && old.text.String() == string(data) {
		return disk{known: true, text: old.text, stamp: stamp}
	}
	text, why := decodeText(data)
	if text == nil {
		return disk{known: true, why: why}
	}
	return disk{known: true, text: text, stamp: stamp}
}

// decodeText makes a text of a file's bytes. An editor shows no byte order
// mark, and neither counts columns with it.
func decodeText(data []byte) (*mapping.Text, string) {
	str := strings.TrimPrefix(string(data), "\uFEFF")
	if strings.ContainsRune(str, 0) || !utf8.ValidString(str) {
		return nil, "it is binary, or not UTF-8"
	}
	return mapping.NewText(str), ""
}
