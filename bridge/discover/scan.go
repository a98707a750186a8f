package discover

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Locations is where to look: directories that hold entries,
// <userData>/agent-host/local-endpoint/entries, most wanted first.
type Locations struct{ Dirs []string }

// Scan reads the entries in dirs and returns the hosts that run, the one
// published last first (those of the same time in the order of dirs and of
// their file names), and what was passed over. alive tells whether a process
// runs; nil is [Alive].
//
// A host found in several places, which is the same type, pid and instanceId,
// is returned once, as published last. Files not called <something>.json, which
// a host writes before it renames them, are ignored without a Finding.
func Scan(dirs []string, alive func(pid int) bool) (endpoints []Endpoint, passedOver []Finding) {
	if alive == nil {
		alive = Alive
	}
	s := scan{alive: alive, uid: os.Geteuid()}
	seen := map[string]bool{}
	for _, dir := range dirs {
		if dir == "" { // it would become the current directory
			continue
		}
		if dir = filepath.Clean(dir); !seen[dir] {
			seen[dir] = true
			s.directory(dir)
		}
	}
	s.sort()
	return s.found, s.passedOver
}

type scan struct {
	alive      func(pid int) bool
	uid        int // who must own the entries; not used where files have no uid
	found      []Endpoint
	passedOver []Finding
}

func (s *scan) pass(path string, reason error) {
	f := Finding{Path: path, Reason: reason.Error()}
	switch {
	case errors.Is(reason, errNoDirectory):
		f.Kind = NoDirectory
	case errors.Is(reason, errEnded):
		f.Kind = Ended
	}
	s.passedOver = append(s.passedOver, f)
}

var (
	errNoDirectory = errors.New("there is no such directory")
	errEnded       = errors.New("its host has ended")
)

func (s *scan) directory(dir string) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.pass(dir, errNoDirectory)
		return
	case err != nil:
		s.pass(dir, cause(err))
		return
	case !info.IsDir():
		s.pass(dir, errors.New("it is not a directory"))
		return
	}
	if err := exposed(info, s.uid, othersWrite); err != nil {
		s.pass(dir, err)
		return
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		s.pass(dir, cause(err))
		return
	}
	defer root.Close()
	files, err := fs.ReadDir(root.FS(), ".") // sorted, and with an error what was read so far
	if err != nil {
		s.pass(dir, cause(err))
	}
	for _, file := range files {
		name := file.Name()
		if strings.HasPrefix(name, ".") || !strings.HasSuffix(name, ".json") {
			continue
		}
		path := filepath.Join(dir, name)
		e, err := s.entry(root, name)
		switch {
		case errors.Is(err, fs.ErrNotExist): // the host has just gone
		case err != nil:
			s.pass(path, err)
		default:
			e.File = path
			s.found = append(s.found, e)
		}
	}
}

func (s *scan) entry(root *os.Root, name string) (Endpoint, error) {
	if !entryName().MatchString(name) {
		return Endpoint{}, errors.New("its name is not that of an entry: 64 lowercase hexadecimal digits and .json")
	}
	data, modified, err := readEntry(root, name, s.uid)
	if err != nil {
		return Endpoint{}, err
	}
	e, err := parseEntry(data)
	if err != nil {
		return Endpoint{}, err
	}
	e.Modified = modified
	if e.identity()+".json" != name {
		return Endpoint{}, errors.New("its name is not the identity (the SHA-256 of type, pid and instanceId) of what it holds")
	}
	if !s.alive(e.PID) {
		return Endpoint{}, fmt.Errorf("%w: no process has the pid %d", errEnded, e.PID)
	}
	return e, nil
}

// sort orders what was found and drops the older ones of the same host.
func (s *scan) sort() {
	slices.SortStableFunc(s.found, func(a, b Endpoint) int { return b.Modified.Compare(a.Modified) })
	newest := map[string]string{} // identity to file
	s.found = slices.DeleteFunc(s.found, func(e Endpoint) bool {
		id := e.identity()
		if file, ok := newest[id]; ok {
			s.pass(e.File, fmt.Errorf("the same host is published, more recently, by %s", file))
			return true
		}
		newest[id] = e.File
		return false
	})
}
