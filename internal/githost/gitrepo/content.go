package gitrepo

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"

	"ahp-lsp/internal/githost/gitrepo/fault"
	"ahp-lsp/internal/githost/gitrepo/gitcmd"
	"ahp-lsp/internal/githost/gitrepo/worktree"
)

// contents reads and stores the contents of files, in git's form and in that of the
// work tree.
type contents struct {
	cmd   *gitcmd.Runner
	files *worktree.Tree
}

// Content is a version of a file as it is or would be in the work tree: smudge
// filters and line end conversion applied to blobs, a symbolic link as its
// target, a submodule as its commit id and a line feed. ErrTooLarge over 64 MiB.
func (r *Repo) Content(ctx context.Context, s Side) ([]byte, error) {
	if s.Mode == ModeSubmodule {
		return []byte(s.Blob + "\n"), nil
	}
	if s.Disk {
		v, err := r.files.Read(s.Path)
		if err != nil {
			return nil, err
		}
		if v.Link != "" {
			return nil, fmt.Errorf("read %w", worktree.LinkError(s.Path, v.Link))
		}
		if v.Mode == "" {
			return nil, fmt.Errorf("read %s: %w: it is no longer there", s.Path, ErrNotFound)
		}
		if v.Large() {
			return nil, r.content.tooLarge("read", s.Path, v.Size)
		}
		return v.Data, nil
	}
	if s.Mode == ModeSymlink {
		return r.Blob(ctx, s.Blob)
	}
	return r.content.smudged(ctx, s.Path, s.Blob)
}

func (r *contents) tooLarge(verb, path string, size int64) error {
	return fmt.Errorf("%s %s: %w: it has %s, and at most %s are read", verb, path, ErrTooLarge, fault.SizeText(size), fault.SizeText(r.files.MaxText))
}

// smudged is a blob in the form of the work tree.
func (r *contents) smudged(ctx context.Context, path, blob string) ([]byte, error) {
	size, err := r.blobSize(ctx, blob)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if size > r.files.MaxText {
		return nil, r.tooLarge("read", path, size)
	}
	var out cappedBuffer
	out.most = r.files.MaxText
	if err := r.smudge(ctx, path, blob, &out); err != nil {
		if out.full {
			return nil, r.tooLarge("read", path, int64(out.Len()))
		}
		return nil, err
	}
	return out.Bytes(), nil
}

// smudge writes a blob in the form of the work tree to w, in a stream.
func (r *contents) smudge(ctx context.Context, path, blob string, w io.Writer) error {
	if _, err := r.cmd.Run(ctx, gitcmd.Command{Args: []string{"cat-file", "--filters", "--path=" + path, blob}, Out: w}); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	return nil
}

// cappedBuffer refuses to grow over a size, which a filter's output could.
type cappedBuffer struct {
	bytes.Buffer
	most int64
	full bool
}

func (c *cappedBuffer) Write(p []byte) (int, error) {
	if int64(c.Len()+len(p)) > c.most {
		c.full = true
		return 0, ErrTooLarge
	}
	return c.Buffer.Write(p)
}

// Blob is the raw content of an object, without filters. ErrTooLarge over
// 64 MiB, ErrNotFound for an unknown id.
func (r *Repo) Blob(ctx context.Context, id string) ([]byte, error) { return r.cmd.Blob(ctx, id) }

// blobSize is the stored size of an object.
func (r *contents) blobSize(ctx context.Context, id string) (int64, error) {
	out, err := r.cmd.Output(ctx, "cat-file", "-s", id)
	if err != nil {
		return 0, fmt.Errorf("object %s: %w: %w", id, ErrNotFound, err)
	}
	return strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
}

// storeRaw stores bytes as they are and returns the object's id.
func (r *contents) storeRaw(ctx context.Context, data io.Reader) (string, error) {
	out, err := r.cmd.Run(ctx, gitcmd.Command{Args: []string{"hash-object", "-w", "--no-filters", "--stdin"}, Stdin: data, Durable: true})
	return strings.TrimSpace(string(out)), err
}

// cleanID is the id the content would have if git added it at path.
func (r *contents) cleanID(ctx context.Context, path string, data []byte) (string, error) {
	out, err := r.cmd.Run(ctx, gitcmd.Command{Args: []string{"hash-object", "--path=" + path, "--stdin"}, Stdin: bytes.NewReader(data)})
	return strings.TrimSpace(string(out)), err
}
