package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// merge3 brings the change from base to theirs into ours: modes and contents.
// ErrConflict if that is not possible without asking.
func (r *Repo) merge3(ctx context.Context, base, ours, theirs version) (version, error) {
	out := ours
	switch {
	case ours.mode == base.mode:
		out.mode = theirs.mode
	case theirs.mode == base.mode || theirs.mode == ours.mode:
	default:
		return version{}, fmt.Errorf("merge modes: %w", ErrConflict)
	}
	if out.mode != ours.mode {
		out.perm = 0
	}
	for _, v := range []version{base, ours, theirs} {
		if v.large() || v.blob != "" {
			return version{}, fmt.Errorf("merge: %w: files of %s are not merged", ErrConflict, sizeText(v.size))
		}
	}
	switch {
	case bytes.Equal(ours.data, base.data):
		out.data = theirs.data
	case bytes.Equal(theirs.data, base.data), bytes.Equal(theirs.data, ours.data):
	case !base.regular() || !ours.regular() || !theirs.regular():
		return version{}, fmt.Errorf("merge links: %w", ErrConflict)
	default:
		data, err := r.mergeText(ctx, base.data, ours.data, theirs.data, "")
		if errors.Is(err, ErrConflict) && isMix(base.data, theirs.data, ours.data) {
			data, err = theirs.data, nil
		}
		if err != nil {
			return version{}, err
		}
		out.data = data
	}
	out.size, out.info = int64(len(out.data)), nil
	return out, nil
}

// mergeText is git's three-way merge of file contents. favour is "", for which a
// conflict is an error, or "--ours", which leaves ours where there is one.
func (r *Repo) mergeText(ctx context.Context, base, ours, theirs []byte, favour string) ([]byte, error) {
	for _, data := range [][]byte{base, ours, theirs} {
		if isBinary(data) {
			return nil, fmt.Errorf("merge: %w: binary content is not merged", ErrConflict)
		}
	}
	dir, err := os.MkdirTemp("", "ahp-merge-")
	if err != nil {
		return nil, fmt.Errorf("merge: %w", classify(err))
	}
	defer os.RemoveAll(dir)
	args := []string{"merge-file", "-p", "-q"}
	if favour != "" {
		args = append(args, favour)
	}
	for i, data := range [][]byte{ours, base, theirs} {
		name := filepath.Join(dir, []string{"ours", "base", "theirs"}[i])
		if err := os.WriteFile(name, data, 0o600); err != nil {
			return nil, fmt.Errorf("merge: %w", classify(err))
		}
		args = append(args, name)
	}
	out, err := r.git(ctx, args...)
	switch code := exitCode(err); {
	case err == nil:
		return out, nil
	case code > 0 && code < 128:
		return nil, fmt.Errorf("merge: %w", ErrConflict)
	}
	return nil, fmt.Errorf("merge: %w", err)
}

// isMix reports that a text is one of two with some lines as in the other: the
// change between them was made in part. To git that is a conflict where the part
// ends within a run of changed lines; to make the change means to make the rest.
func isMix(base, theirs, mix []byte) bool {
	c := compareLines(splitLines(base), splitLines(theirs))
	m := splitLines(mix)
	at := map[int]bool{0: true} // how many lines of m may be used up
	step := func(optional bool, accepted ...string) {
		next := map[int]bool{}
		for i := range at {
			if optional {
				next[i] = true
			}
			for _, s := range accepted {
				if i < len(m) && m[i] == s {
					next[i+1] = true
				}
			}
		}
		at = next
	}
	b := 0
	for _, k := range c.blocks {
		for ; b < k.b0; b++ {
			step(false, c.before[b])
		}
		for u := range max(k.before(), k.after()) {
			switch {
			case u >= k.after():
				step(true, c.before[k.b0+u])
			case u >= k.before():
				step(true, c.after[k.a0+u])
			default:
				step(false, c.before[k.b0+u], c.after[k.a0+u])
			}
			if len(at) == 0 {
				return false
			}
		}
		b = k.b1
	}
	for ; b < len(c.before); b++ {
		step(false, c.before[b])
	}
	return at[len(m)]
}
