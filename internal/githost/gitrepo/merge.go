package gitrepo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ahp-lsp/internal/githost/gitrepo/fault"
	"ahp-lsp/internal/githost/gitrepo/gitcmd"
	"ahp-lsp/internal/githost/gitrepo/lines"
	"ahp-lsp/internal/githost/gitrepo/worktree"
)

// merge3 brings the change from base to theirs into ours: modes and contents.
// ErrConflict if that is not possible without asking.
func (r *Repo) merge3(ctx context.Context, base, ours, theirs worktree.Version) (worktree.Version, error) {
	out := ours
	switch {
	case ours.Mode == base.Mode:
		out.Mode = theirs.Mode
	case theirs.Mode == base.Mode || theirs.Mode == ours.Mode:
	default:
		return worktree.Version{}, fmt.Errorf("merge modes: %w", ErrConflict)
	}
	if out.Mode != ours.Mode {
		out.Perm = 0
	}
	for _, v := range []worktree.Version{base, ours, theirs} {
		if v.Large() || v.Blob != "" {
			return worktree.Version{}, fmt.Errorf("merge: %w: files of %s are not merged", ErrConflict, fault.SizeText(v.Size))
		}
	}
	switch {
	case bytes.Equal(ours.Data, base.Data):
		out.Data = theirs.Data
	case bytes.Equal(theirs.Data, base.Data), bytes.Equal(theirs.Data, ours.Data):
	case !base.Regular() || !ours.Regular() || !theirs.Regular():
		return worktree.Version{}, fmt.Errorf("merge links: %w", ErrConflict)
	default:
		data, err := r.mergeText(ctx, base.Data, ours.Data, theirs.Data, "")
		if errors.Is(err, ErrConflict) && lines.IsMix(base.Data, theirs.Data, ours.Data) {
			data, err = theirs.Data, nil
		}
		if err != nil {
			return worktree.Version{}, err
		}
		out.Data = data
	}
	out.Size, out.Info = int64(len(out.Data)), nil
	return out, nil
}

const tempMergePrefix = "ahp-merge-"

// mergeText is git's three-way merge of file contents. favour is "", for which a
// conflict is an error, or "--ours", which leaves ours where there is one.
func (r *Repo) mergeText(ctx context.Context, base, ours, theirs []byte, favour string) ([]byte, error) {
	for _, data := range [][]byte{base, ours, theirs} {
		if lines.IsBinary(data) {
			return nil, fmt.Errorf("merge: %w: binary content is not merged", ErrConflict)
		}
	}
	dir, err := os.MkdirTemp("", tempMergePrefix)
	if err != nil {
		return nil, fmt.Errorf("merge: %w", fault.Classify(err))
	}
	defer os.RemoveAll(dir)
	args := []string{"merge-file", "-p", "-q"}
	if favour != "" {
		args = append(args, favour)
	}
	for i, data := range [][]byte{ours, base, theirs} {
		name := filepath.Join(dir, []string{"ours", "base", "theirs"}[i])
		if err := os.WriteFile(name, data, 0o600); err != nil {
			return nil, fmt.Errorf("merge: %w", fault.Classify(err))
		}
		args = append(args, name)
	}
	out, err := r.cmd.Output(ctx, args...)
	switch code := gitcmd.ExitCode(err); {
	case err == nil:
		return out, nil
	case code > 0 && code < 128:
		return nil, fmt.Errorf("merge: %w", ErrConflict)
	}
	return nil, fmt.Errorf("merge: %w", err)
}

// freeEnds reports whether git converts the line ends of a file, so that "\n"
// against "\r\n" is no change in it. raw is the file as stored.
func (r *contents) freeEnds(ctx context.Context, path string, raw func() ([]byte, error)) (bool, error) {
	out, err := r.cmd.Output(ctx, "check-attr", "-z", "text", "eol", "crlf", "--", path)
	if err != nil {
		return false, fmt.Errorf("read the attributes of %s: %w", path, err)
	}
	attr := map[string]string{}
	var rec []string
	for s := range splitRecords(out) {
		if rec = append(rec, s); len(rec) == 3 {
			attr[rec[1]], rec = rec[2], nil
		}
	}
	text := attr["text"]
	if text == "unspecified" {
		// The older name of the attribute.
		if text = attr["crlf"]; text == "input" {
			text = "set"
		}
	}
	if text == "unspecified" && (attr["eol"] == "lf" || attr["eol"] == "crlf") {
		text = "set"
	}
	switch text {
	case "set":
		return true, nil
	case "auto":
	case "unspecified":
		out, err := r.cmd.Output(ctx, "config", "--get", "core.autocrlf")
		if err != nil && gitcmd.ExitCode(err) != 1 {
			return false, err
		}
		switch strings.ToLower(strings.TrimSpace(string(out))) {
		case "true", "input", "yes", "on", "1":
		default:
			return false, nil
		}
	default:
		return false, nil
	}
	// Where git decides by itself it leaves files alone that are stored with
	// "\r\n".
	data, err := raw()
	if err != nil {
		return false, err
	}
	return !strings.Contains(string(data), "\r\n"), nil
}

// compareDiskLines compares a stored version, given in work tree form, with the
// file on disk: what git calls unchanged is unchanged.
func (r *Repo) compareDiskLines(ctx context.Context, before *Side, beforeData []byte, path string, disk []byte) (*lines.Comparison, error) {
	b, a := lines.Split(beforeData), lines.Split(disk)
	if before != nil {
		bLF, bCRLF := b.EndKinds()
		aLF, aCRLF := a.EndKinds()
		if bLF && aCRLF || bCRLF && aLF {
			free, err := r.content.freeEnds(ctx, path, func() ([]byte, error) { return r.Blob(ctx, before.Blob) })
			if err != nil {
				return nil, err
			}
			if free {
				b = lines.LikeEnds(b, a)
			}
		}
	}
	return lines.Compare(b, a), nil
}
