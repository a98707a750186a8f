package lsp

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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

// diskReaders is how many files are read at once.
const diskReaders = 8

// readDisk reads a file in the background and then brings everything that
// depends on its content up to date. Agents see the disk, so what a new comment
// is about is the text there, not the one in the buffer.
func (s *Server) readDisk(f *file) {
	switch {
	case f.reading:
		f.again = true
		return
	case f.doc != nil: // somebody is looking at it
		s.reads = slices.Insert(s.reads, 0, f)
	default:
		s.reads = append(s.reads, f)
	}
	f.reading = true
	s.startReads()
}

// startReads begins to read what waits, as far as there are readers.
func (s *Server) startReads() {
	for s.readers < diskReaders && len(s.reads) > 0 {
		f := s.reads[0]
		s.reads = s.reads[1:]
		s.readers++
		path, ok := ahp.FilePath(f.uri)
		old := f.disk
		background(s, func(context.Context) disk {
			if !ok {
				return disk{known: true, why: "it is not a file"}
			}
			return readFile(filepath.FromSlash(path), old)
		}, func(d disk) {
			s.readers--
			s.hasRead(f, d)
			s.startReads()
		})
	}
}

// hasRead takes what was read of a file.
func (s *Server) hasRead(f *file, d disk) {
	f.reading = false
	if !d.known {
		d = disk{known: true, why: "internal error, see the log"}
	}
	f.disk = d
	s.followRename(f)
	if f.again {
		f.again = false
		s.readDisk(f)
		return
	}
	s.anchorThreads(f)
	s.landed(f)
	s.touch(f)
	s.loaded(f)
}

// readFile reads a text file, or returns old if it was not written since.
func readFile(path string, old disk) disk {
	info, err := os.Stat(path)
	if err != nil {
		missing := errors.Is(err, fs.ErrNotExist)
		why := err.Error()
		if missing {
			why = "the file does not exist"
		}
		return disk{known: true, missing: missing, why: why}
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
	text, why := decodeText(data)
	switch {
	case text == nil:
		return disk{known: true, why: why}
	case old.text != nil && old.text.String() == text.String():
		text = old.text // what was computed for it stays true
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
