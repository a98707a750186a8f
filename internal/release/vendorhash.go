package main

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"ahp-lsp/internal/atomicfile"
)

// vendorHash is what Nix calls the modules that "go mod vendor" copies.
func (r root) vendorHash(ctx context.Context) (string, error) {
	dir, err := os.MkdirTemp("", "ahp-vendor-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	vendor := filepath.Join(dir, "vendor")
	if _, err := r.output(ctx, []string{"GOFLAGS="}, "go", "mod", "vendor", "-o", vendor); err != nil {
		return "", err
	}
	return narHash(vendor)
}

// narHash is the hash of a folder as Nix makes it: of its NAR, an archive of names and
// contents, and of nothing else.
func narHash(dir string) (string, error) {
	sum := sha256.New()
	narString(sum, "nix-archive-1")
	if err := narNode(sum, dir); err != nil {
		return "", err
	}
	return "sha256-" + base64.StdEncoding.EncodeToString(sum.Sum(nil)), nil
}

// narString writes a text with its length before it, padded to a multiple of eight
// bytes. A hash never fails to be written to.
func narString(w io.Writer, text string) {
	_ = binary.Write(w, binary.LittleEndian, uint64(len(text)))
	_, _ = io.WriteString(w, text)
	_, _ = w.Write(make([]byte, (8-len(text)%8)%8))
}

func narNode(w io.Writer, path string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	words := func(all ...string) {
		for _, word := range all {
			narString(w, word)
		}
	}
	switch {
	case info.IsDir():
		entries, err := os.ReadDir(path) // sorted
		if err != nil {
			return err
		}
		words("(", "type", "directory")
		for _, e := range entries {
			words("entry", "(", "name", e.Name(), "node")
			if err := narNode(w, filepath.Join(path, e.Name())); err != nil {
				return err
			}
			words(")")
		}
		words(")")
	case info.Mode().IsRegular():
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		words("(", "type", "regular")
		if info.Mode()&0o100 != 0 {
			words("executable", "")
		}
		words("contents", string(data), ")")
	default:
		return &fs.PathError{Op: "hash", Path: path, Err: fmt.Errorf("%s is neither a file nor a folder", info.Mode())}
	}
	return nil
}

// flakeFile is the description for Nix.
const flakeFile = "packaging/nix/flake.nix"

var vendorHashLine = regexp.MustCompile(`vendorHash = "[^"]*";`)

type modulesCommand struct{}

// Run writes what depends on the modules that go.mod names.
func (modulesCommand) Run(ctx context.Context, r root) error {
	if err := r.writeModules(ctx); err != nil {
		return fmt.Errorf("modules: %w", err)
	}
	return nil
}

func (r root) writeModules(ctx context.Context) error {
	text, err := r.notices(ctx)
	if err != nil {
		return err
	}
	if err := atomicfile.Replace(r.path(noticesFile), []byte(text), 0o644); err != nil {
		return err
	}
	hash, err := r.vendorHash(ctx)
	if err != nil {
		return err
	}
	flake, err := os.ReadFile(r.path(flakeFile))
	if err != nil {
		return err
	}
	return atomicfile.Replace(r.path(flakeFile), vendorHashLine.ReplaceAllLiteral(flake, fmt.Appendf(nil, "vendorHash = %q;", hash)), 0o644)
}
