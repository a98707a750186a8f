package store

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Damaged says that a record could not be used, and where it is now. A method
// that returns one, and no other error with it, has done its work: on a new, empty record.
type Damaged struct {
	Path    string // of the record
	AsideAs string // where it was moved to; "" if it could not be moved, which is an error of its own
	Cause   error  // why it cannot be used
}

func (d *Damaged) Error() string {
	if d.AsideAs == "" {
		return fmt.Sprintf("%s is damaged: %v", d.Path, d.Cause)
	}
	return fmt.Sprintf("%s was damaged (%v); it is now %s, and a new file begins", d.Path, d.Cause, d.AsideAs)
}

func (d *Damaged) Unwrap() error { return d.Cause }

// NewerVersion says that a later version of this program wrote a record, which
// this one does not touch.
type NewerVersion struct {
	Path    string
	Version int // of the record's format
	Known   int // the latest that this program knows
}

func (n *NewerVersion) Error() string {
	return fmt.Sprintf("%s has format version %d, and this version of ahp-lsp knows %d: it is left as it is, and nothing is saved in it; update ahp-lsp",
		n.Path, n.Version, n.Known)
}

// Damage divides an error of this package into the damage that was met and the
// failure, which is nil if the method did its work.
func Damage(err error) (*Damaged, error) {
	if d, ok := err.(*Damaged); ok && d.AsideAs != "" { //nolint:errorlint // this error, not one that it is part of
		return d, nil
	}
	var d *Damaged
	errors.As(err, &d)
	return d, err
}

// withDamage is what a method returns that met d, which may be nil, and then err.
func withDamage(d *Damaged, err error) error {
	switch {
	case d == nil:
		return err
	case err == nil:
		return d
	}
	return fmt.Errorf("%w; %w", d, err)
}

// failed puts the operation before a failure; damage alone stays as it is.
func failed(operation string, err error) error {
	d, failure := Damage(err)
	if failure == nil {
		return withDamage(d, nil)
	}
	return fmt.Errorf("%s: %w", operation, failure)
}

const asideMark = ".damaged-"

// setAside renames a damaged record and returns its new name. The names are
// numbered for the folder as a whole: the one with the lowest number is the
// oldest, and goes when there are more than most. The folder is locked.
func setAside(path string, most int) (string, error) {
	dir := filepath.Dir(path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return "", err
	}
	type aside struct {
		name   string
		number uint64
	}
	var all []aside
	for _, e := range entries {
		if _, number, ok := strings.Cut(e.Name(), asideMark); ok {
			if n, err := strconv.ParseUint(number, 10, 31); err == nil {
				all = append(all, aside{e.Name(), n})
			}
		}
	}
	slices.SortFunc(all, func(a, b aside) int { return cmp.Compare(a.number, b.number) })
	next := uint64(1)
	if len(all) > 0 {
		next = all[len(all)-1].number + 1
	}
	to := path + asideMark + strconv.FormatUint(next, 10)
	if _, err := os.Lstat(to); err == nil {
		return "", fmt.Errorf("rename %s: %s exists", path, to)
	}
	if err := os.Rename(path, to); err != nil {
		return "", err
	}
	for ; len(all) >= most; all = all[1:] {
		os.Remove(filepath.Join(dir, all[0].name)) // what cannot be removed is not in the way
	}
	return to, nil
}
