package lsp

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/lsp/workspace"
)

// maxDiskFile is the largest file whose text is read, in bytes. A comment in a
// larger one is shown at its line, unproven.
const maxDiskFile = 64 << 20

// diskReaders is how many files are read at once.
const diskReaders = 8

// diskReads are the files that wait to be read.
type diskReads struct {
	waiting []*workspace.File
	running int
}

// readDisk reads a file in the background, those that somebody looks at first.
func (s *Server) readDisk(f *workspace.File) {
	if f.Doc() != nil {
		s.disk.waiting = slices.Insert(s.disk.waiting, 0, f)
	} else {
		s.disk.waiting = append(s.disk.waiting, f)
	}
	s.startReads()
}

// startReads begins to read what waits, as far as there are readers.
func (s *Server) startReads() {
	for s.disk.running < diskReaders && len(s.disk.waiting) > 0 {
		f := s.disk.waiting[0]
		s.disk.waiting = s.disk.waiting[1:]
		s.disk.running++
		path, ok := ahp.FilePath(f.URI())
		old := f.Disk()
		background(s, func(context.Context) workspace.Disk {
			if !ok {
				return workspace.Disk{Known: true, Why: "it is not a file"}
			}
			return readFile(filepath.FromSlash(path), old)
		}, func(d workspace.Disk) {
			s.disk.running--
			s.apply(workspace.DiskRead{File: f, Disk: d})
			s.startReads()
		})
	}
}

// readFile reads a text file, or returns old if it was not written since.
func readFile(path string, old workspace.Disk) workspace.Disk {
	info, err := os.Stat(path)
	if err != nil {
		missing := errors.Is(err, fs.ErrNotExist)
		why := err.Error()
		if missing {
			why = "the file does not exist"
		}
		return workspace.Disk{Known: true, Missing: missing, Why: why}
	}
	stamp := workspace.DiskStamp{Modified: info.ModTime(), Size: info.Size()}
	switch {
	case old.Known && old.Text != nil && old.Stamp == stamp && time.Since(stamp.Modified) > 2*time.Second:
		// Within the resolution of file times an equal stamp proves nothing.
		return old
	case !info.Mode().IsRegular():
		return workspace.Disk{Known: true, Why: "it is not a regular file"}
	case info.Size() > maxDiskFile:
		return workspace.Disk{Known: true, Why: "the file is too large"}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return workspace.Disk{Known: true, Why: err.Error()}
	}
	text, why := workspace.DecodeText(data)
	switch {
	case text == nil:
		return workspace.Disk{Known: true, Why: why}
	case old.Text != nil && old.Text.String() == text.String():
		text = old.Text // what was computed for it stays true
	}
	return workspace.Disk{Known: true, Text: text, Stamp: stamp}
}
