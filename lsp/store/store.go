package store

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"time"
)

// Store is a folder of records. Make one with [New].
type Store struct {
	dir     string // "" if the store forgets
	folders map[string]*folder
	limits  limits
	wait    time.Duration // how long a lock is waited for
}

// folder is what a Store knows of a kind's folder.
type folder struct {
	inUse chan struct{} // holds one value while a goroutine uses the folder
	swept bool          // guarded by inUse
}

type limits struct {
	record  int64 // bytes of one record
	text    int64 // bytes of one text
	texts   int64 // bytes of all texts
	anchors int   // of one session
	aside   int   // damaged records of one kind
}

const (
	keptFolder    = "kept"
	anchorsFolder = "anchors"
	unsentFolder  = "unsent"
	textsFolder   = "texts" // belongs to the lock of anchors
)

// New returns the store in a folder, which need not exist. With dir "" the store
// forgets: what is read is empty, and what is written is dropped.
func New(dir string) *Store {
	s := &Store{
		dir:     dir,
		folders: map[string]*folder{},
		limits:  limits{record: 16 << 20, text: 1 << 20, texts: 64 << 20, anchors: 2000, aside: 16},
		wait:    5 * time.Second,
	}
	for _, name := range []string{keptFolder, anchorsFolder, unsentFolder} {
		s.folders[name] = &folder{inUse: make(chan struct{}, 1)}
	}
	return s
}

// Remembers reports whether what is written can be read again: false for New("").
func (s *Store) Remembers() bool { return s.dir != "" }

// path is the file of a key's record.
func (s *Store) path(folder, key string) string {
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(s.dir, folder, hex.EncodeToString(sum[:12])+".json")
}
