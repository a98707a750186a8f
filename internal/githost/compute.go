package githost

import (
	"context"
	"strings"

	"ahp-lsp/internal/githost/gitrepo"
	"ahp-lsp/internal/githost/session"
)

// computeOne brings the most wanted stale changeset up to date. It reports whether
// there was one.
func (w *worker) computeOne(ctx context.Context) bool {
	var c *session.Changeset
	w.h.with(func(s *session.State) { c = s.NextStale() })
	if c == nil {
		return false
	}
	files, err := w.files(ctx, c.Ref())
	if ctx.Err() != nil {
		return true
	}
	w.h.with(func(s *session.State) {
		if err != nil {
			s.SetError(c, err)
		} else {
			s.SetFiles(c, files)
		}
	})
	return true
}

// files asks git for the files of a changeset.
func (w *worker) files(ctx context.Context, r session.Ref) (files []*session.File, err error) {
	defer w.survive(&err)
	var diffs []gitrepo.FileDiff
	switch r.Kind {
	case session.KindStaged:
		diffs, err = w.h.repo.Staged(ctx)
	case session.KindPatchset:
		return w.h.proposedFiles(ctx, r.ID)
	default:
		t, ok, terr := w.trees(ctx, r)
		if terr != nil || !ok {
			return []*session.File{}, terr
		}
		if t.After == gitrepo.WorkTree {
			diffs, err = w.scan.Compare(ctx, t.Before)
		} else {
			diffs, err = w.h.repo.Compare(ctx, t.Before, t.After)
		}
	}
	if err != nil {
		return nil, err
	}
	files = make([]*session.File, 0, len(diffs))
	for _, d := range diffs {
		files = append(files, w.h.tree.File(d, r.Kind == session.KindBranch))
	}
	return files, nil
}

// trees are what a changeset compares; ok is false for those that are computed
// in another way.
func (w *worker) trees(ctx context.Context, r session.Ref) (t gitrepo.Trees, ok bool, err error) {
	w.h.with(func(s *session.State) { t, ok = s.Trees(r) })
	if r.Kind == session.KindBranch {
		t.Before, err = w.h.repo.Base(ctx)
	}
	return t, ok && err == nil, err
}

// proposedFiles holds a proposal against the work tree as it is now. Files that
// have the change already are left out; a file that nothing of it fits is there
// without a difference. What does not fit, where and why, is in the file's _meta
// and in the description of the operation that applies it.
func (h *Host) proposedFiles(ctx context.Context, id string) ([]*session.File, error) {
	var p *session.Patchset
	var verdict string
	h.with(func(s *session.State) { p, verdict = s.Proposals().Find(id) })
	if p == nil || verdict != "" {
		return []*session.File{}, nil
	}
	results, err := h.repo.PatchAfter(ctx, p.Files)
	if err != nil {
		return nil, err
	}
	files := make([]*session.File, 0, len(results))
	var remarks []string
	for _, r := range results {
		for _, problem := range r.Problems {
			remarks = append(remarks, sentence(session.ProblemText(r.File.Path(), problem)))
		}
		if r.State != gitrepo.PatchApplied && (r.Diff.Before != nil || r.Diff.After != nil) {
			files = append(files, h.tree.ProposedFile(p, r))
		}
	}
	h.with(func(s *session.State) { p.SetRemarks(strings.Join(remarks, " ")) })
	return files, nil
}
