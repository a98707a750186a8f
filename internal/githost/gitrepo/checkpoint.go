package gitrepo

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"ahp-lsp/internal/githost/gitrepo/fault"
	"ahp-lsp/internal/githost/gitrepo/gitcmd"
	"ahp-lsp/internal/githost/gitrepo/gitfile"
	"ahp-lsp/internal/githost/gitrepo/records"
)

// Checkpoint records the work tree, untracked files included and ignored ones
// not, nor untracked ones that look like secrets (gitfile.LooksSecret), as a commit at ref (under refs/ahp/), whose parent is the ref's former
// commit. What cannot be stored (unreadable files, files over 256 MiB) keeps its
// last known version and is named in the commit's message behind the given one.
func (r *Repo) Checkpoint(ctx context.Context, ref, message string) (tree, commit string, err error) {
	return r.checkpoint(ctx, ref, message, func() (*status, error) { return r.readStatus(ctx) })
}

// Checkpoint is Repo.Checkpoint of the work tree as far as the watcher has
// named what was written. It is refused (ErrTooLarge) where it would have to
// store more than most bytes that the index does not have.
func (s *Scan) Checkpoint(ctx context.Context, ref, message string, most int64) (tree, commit string, err error) {
	s.look.Lock()
	defer s.look.Unlock()
	return s.repo.checkpoint(ctx, ref, message, func() (*status, error) {
		st, err := s.status(ctx)
		if err != nil {
			return nil, err
		}
		if size := s.repo.unsaved(st); size > most {
			return nil, fmt.Errorf("%s that are not in the index: %w, at most %s are recorded", fault.SizeText(size), ErrTooLarge, fault.SizeText(most))
		}
		return st, nil
	})
}

// unsaved is how many bytes a checkpoint would have to store, at most: the size
// of the files that are not in the index as they are on disk.
func (r *Repo) unsaved(s *status) (total int64) {
	for _, p := range slices.Concat(s.changedOnDisk(), s.untracked) {
		if info, err := os.Lstat(r.files.Abs(p)); err == nil && info.Mode().IsRegular() {
			total += info.Size()
		}
	}
	return total
}

func (r *Repo) checkpoint(ctx context.Context, ref, message string, look func() (*status, error)) (tree, commit string, err error) {
	if err := records.CheckName(ref); err != nil {
		return "", "", fmt.Errorf("checkpoint: %w", err)
	}
	r.change.Lock()
	defer r.change.Unlock()
	if err := r.records.Exist(ctx); err != nil {
		return "", "", fmt.Errorf("checkpoint: %w", err)
	}
	s, err := look()
	if err != nil {
		return "", "", fmt.Errorf("checkpoint: %w", err)
	}
	tree, problems, err := r.snapshot(ctx, s)
	if err != nil {
		return "", "", fmt.Errorf("checkpoint: %w", err)
	}
	if len(problems) > 0 {
		message = strings.TrimSpace(message) + "\n\nNot recorded:\n" + strings.Join(problems, "\n") + "\n"
	}
	parent, err := r.records.Resolve(ctx, ref)
	if err != nil {
		return "", "", fmt.Errorf("checkpoint: %w", err)
	}
	old := parent
	args := []string{"commit-tree", tree}
	if parent != "" {
		args = append(args, "-p", parent)
	} else {
		old = r.cmd.NoObject()
	}
	out, err := r.cmd.Run(ctx, gitcmd.Command{Args: args, Stdin: strings.NewReader(message), Durable: true,
		Config: []string{"user.name=ahp-lsp", "user.email=ahp-lsp@localhost"}})
	if err != nil {
		return "", "", fmt.Errorf("checkpoint: %w", err)
	}
	commit = strings.TrimSpace(string(out))
	if err := r.records.Set(ctx, ref, commit, old); err != nil {
		return "", "", fmt.Errorf("checkpoint: %w", err)
	}
	return tree, commit, nil
}

// snapshot stores the work tree as a tree object, by way of a temporary index,
// and says what had to be left out.
func (r *Repo) snapshot(ctx context.Context, s *status) (tree string, problems []string, err error) {
	index, _, done, err := r.index.tempIndex("")
	if err != nil {
		return "", nil, err
	}
	defer done()
	var paths []string
	leave := func(p, why string) { problems = append(problems, p+": "+why) }
	untracked := slices.DeleteFunc(slices.Clone(s.untracked), gitfile.LooksSecret)
	for _, p := range slices.Concat(s.changedOnDisk(), untracked) {
		info, err := os.Lstat(r.files.Abs(p))
		if err == nil && info.Mode().IsRegular() {
			if info.Size() > r.log.maxStored {
				leave(p, fmt.Sprintf("it has %s, and at most %s are recorded", fault.SizeText(info.Size()), fault.SizeText(r.log.maxStored)))
				continue
			}
			f, err := os.Open(r.files.Abs(p))
			if errors.Is(err, fs.ErrPermission) {
				leave(p, "it cannot be read")
				continue
			}
			if err == nil {
				f.Close()
			}
		}
		paths = append(paths, p)
	}
	for _, p := range s.nested {
		if r.disk.submoduleCommit(ctx, p) == "" {
			leave(p, "it is a repository without a commit")
			continue
		}
		paths = append(paths, p)
	}
	if err := r.index.addWith(ctx, gitcmd.Command{Index: index, Durable: true, Config: []string{"core.safecrlf=false"}}, paths); err != nil {
		return "", nil, err
	}
	// A conflict that was left out would make the tree impossible.
	ours := map[string]indexEntry{}
	for p, e := range s.unmerged {
		if !slices.Contains(paths, p) {
			ours[p] = e
		}
	}
	if err := r.index.setEntries(ctx, index, ours); err != nil {
		return "", nil, err
	}
	out, err := r.cmd.Run(ctx, gitcmd.Command{Args: []string{"write-tree"}, Index: index, Durable: true})
	if err != nil {
		return "", nil, err
	}
	return strings.TrimSpace(string(out)), problems, nil
}
