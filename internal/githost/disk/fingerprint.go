package disk

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// fingerprints distinguishes versions of files on disk by their content, and reads
// a file again only when it may have changed. It is safe for concurrent use.
type fingerprints struct {
	root string

	mu    sync.Mutex
	known map[string]knownPrint
}

type fingerprint struct {
	version string // "": there is no such file
	size    int64
}

type knownPrint struct {
	fingerprint
	modified time.Time
	size     int64
	mode     fs.FileMode
}

const (
	// hashUpTo is the size in bytes up to which files are distinguished by their
	// content; larger ones by time and size.
	hashUpTo = 8 << 20
	// maxPrints is how many files are remembered.
	maxPrints = 8192
	// racy is how old a modification time must be for a second write within
	// its resolution to be ruled out.
	racy = 50 * time.Millisecond
)

func newFingerprints(root string) *fingerprints {
	return &fingerprints{root: root, known: map[string]knownPrint{}}
}

// of is the fingerprint of a file, by its path relative to the root.
func (p *fingerprints) of(rel string) fingerprint {
	name := filepath.Join(p.root, filepath.FromSlash(rel))
	info, err := os.Lstat(name)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return fingerprint{}
		}
		return fingerprint{version: "unreadable"}
	}
	p.mu.Lock()
	k, ok := p.known[rel]
	p.mu.Unlock()
	if ok && k.modified.Equal(info.ModTime()) && k.size == info.Size() && k.mode == info.Mode() {
		return k.fingerprint
	}
	k = knownPrint{modified: info.ModTime(), size: info.Size(), mode: info.Mode()}
	looked := time.Now()
	k.fingerprint = fingerprint{version: contentVersion(name, info), size: info.Size()}
	if looked.Sub(info.ModTime()).Abs() < racy && info.Size() <= hashUpTo {
		return k.fingerprint // it may change again without a trace
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.known) >= maxPrints {
		clear(p.known)
	}
	p.known[rel] = k
	return k.fingerprint
}

// Hash identifies a content.
func Hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:16])
}

// contentVersion identifies what a file holds.
func contentVersion(name string, info fs.FileInfo) string {
	byTime := fmt.Sprintf("t%x-%x", info.ModTime().UnixNano(), info.Size())
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(name)
		if err != nil {
			return byTime
		}
		return "l" + Hash([]byte(target))
	}
	if !info.Mode().IsRegular() || info.Size() > hashUpTo {
		return byTime
	}
	// Without waiting, should a named pipe have taken the file's place.
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return byTime
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, io.LimitReader(f, hashUpTo+1)); err != nil {
		return byTime
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}
