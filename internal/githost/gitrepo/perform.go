package gitrepo

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"ahp-lsp/internal/githost/gitrepo/gitcmd"
	"ahp-lsp/internal/githost/gitrepo/gitfile"
	"ahp-lsp/internal/githost/gitrepo/worktree"
)

// perform stores what the edits destroy and then makes them: first the
// deletions, which may make room, then the rest. If one fails the Outcome tells
// what was done so far, and its Undo works; if nothing was, there is none.
func (r *Repo) perform(ctx context.Context, prefix string, rec record) (Outcome, error) {
	slices.SortFunc(rec.edits, func(a, b edit) int { return cmp.Compare(a.path, b.path) })
	out := Outcome{Message: rec.message}
	root, err := r.files.Open()
	if err != nil {
		return Outcome{}, err
	}
	defer root.Close()
	going := map[string]bool{}
	for _, e := range rec.edits {
		if !e.new.Exists() {
			going[e.path] = true
		}
	}
	for _, e := range rec.edits {
		if err := gitfile.CheckPath(e.path); err != nil {
			return Outcome{}, err
		}
		if link := e.old.Link; link != "" && !going[link] && e.new.Exists() {
			return Outcome{}, worktree.LinkError(e.path, link)
		}
	}
	if out.Undo, err = r.log.store(ctx, prefix, rec); err != nil {
		return Outcome{}, err
	}
	for _, deleting := range []bool{true, false} {
		for _, e := range rec.edits {
			if e.new.Exists() == deleting {
				continue
			}
			if err := r.performOne(ctx, root, e); err != nil {
				slices.Sort(out.Paths)
				if len(out.Paths) == 0 {
					// Left behind, it would be what "undo" takes for the newest.
					if derr := r.records.Remove(context.WithoutCancel(ctx), out.Undo); derr == nil {
						out.Undo = ""
					}
				} else {
					err = fmt.Errorf("%w (%d of %d files were changed before this; %s restores them)", err, len(out.Paths), len(rec.edits), out.Undo)
				}
				return out, err
			}
			out.Paths = append(out.Paths, e.path)
		}
	}
	slices.Sort(out.Paths)
	return out, nil
}

func (r *Repo) performOne(ctx context.Context, root *os.Root, e edit) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !e.new.Exists() {
		if !e.old.Exists() {
			return nil
		}
		return r.files.Remove(root, e.path, e.old)
	}
	return r.files.Replace(root, e.path, e.old, e.new, func(w io.Writer) error {
		switch {
		case e.new.Blob == "":
			_, err := w.Write(e.new.Data)
			return err
		case e.new.Clean:
			return r.content.smudge(ctx, e.path, e.new.Blob, w)
		}
		_, err := r.cmd.Run(ctx, gitcmd.Command{Args: []string{"cat-file", "blob", e.new.Blob}, Out: w})
		return err
	})
}
