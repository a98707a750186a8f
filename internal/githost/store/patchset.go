package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/atomicfile"
	"ahp-lsp/internal/githost/gitrepo"
	"ahp-lsp/internal/githost/journal"
	"ahp-lsp/internal/githost/session"
	"ahp-lsp/internal/regularfile"
)

// Proposal is an imported PatchSet, for a command's output.
type Proposal struct {
	ID, Title string
	// Problems says, a sentence each, what does not fit the work tree.
	Problems []string
	Files    []string
}

// ErrExists: the PatchSet has been imported before.
var ErrExists = errors.New("it has been imported before")

// PatchsetDir is where the proposals of a work tree are: one file each.
func PatchsetDir(repo *gitrepo.Repo) string { return File(repo, "patchsets", "") }

// patchsetName is what an id must look like to be used as a file's name.
var patchsetName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$`)
})

// ImportPatchSet reads a unified or git diff, or a PatchSet object, from a file
// and keeps it as a proposal. A host of the work tree notices; none need run.
// rationale, if not empty, replaces the object's own. Errors: ErrExists,
// gitrepo.ErrMalformedPatch, gitrepo.ErrUnsafePath.
func ImportPatchSet(ctx context.Context, repo *gitrepo.Repo, file, rationale string) (Proposal, error) {
	p, err := readPatchSet(file)
	if err != nil {
		return Proposal{}, fmt.Errorf("import %s: %w", file, err)
	}
	if rationale != "" {
		p.Rationale = rationale
	}
	if p.Files, err = gitrepo.ParsePatch(p.Diff); err != nil {
		return Proposal{}, fmt.Errorf("import %s: %w", file, err)
	}
	if len(p.Files) == 0 {
		return Proposal{}, fmt.Errorf("import %s: %w: it changes no file", file, gitrepo.ErrMalformedPatch)
	}
	if err := keep(p, repo); err != nil {
		return Proposal{}, fmt.Errorf("import %s: %w", file, err)
	}
	Poke(repo, PokePatchsets)
	out := Proposal{ID: p.ID, Title: p.Title}
	results, err := repo.PatchAfter(ctx, p.Files)
	if err != nil {
		return out, fmt.Errorf("import %s: it is kept as %s, but cannot be compared with the files: %w", file, p.ID, err)
	}
	for _, r := range results {
		out.Files = append(out.Files, r.File.Path())
		for _, problem := range r.Problems {
			out.Problems = append(out.Problems, session.ProblemText(r.File.Path(), problem))
		}
	}
	return out, nil
}

// keep writes the proposal under its id.
func keep(p *session.Patchset, repo *gitrepo.Repo) error {
	sum := sha256.Sum256(p.Diff)
	print := hex.EncodeToString(sum[:])[:12]
	if !patchsetName().MatchString(p.ID) {
		p.ID = "diff-" + print
	}
	dir := PatchsetDir(repo)
	if err := atomicfile.PrivateDir(filepath.Dir(dir)); err != nil {
		return err
	}
	if err := atomicfile.PrivateDir(dir); err != nil {
		return err
	}
	p.Format = journal.Format
	raw, err := ahp.Marshal(p)
	if err != nil {
		return err
	}
	err = atomicfile.Create(filepath.Join(dir, p.ID+".json"), raw, 0o600)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%w as %s", ErrExists, p.ID)
	}
	return err
}

// Patchsets reads the proposals of a work tree; a file that cannot be read
// is left out and named.
func Patchsets(repo *gitrepo.Repo) (list []*session.Patchset, notices []string) {
	dir := PatchsetDir(repo)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil // there are none
	}
	for _, e := range entries {
		id, ok := strings.CutSuffix(e.Name(), ".json")
		if !ok || !patchsetName().MatchString(id) {
			continue
		}
		name := filepath.Join(dir, e.Name())
		data, err := regularfile.Read(name, -1)
		p := &session.Patchset{}
		if err == nil {
			err = json.Unmarshal(data, p)
		}
		if err == nil && p.Format > journal.Format {
			err = journal.NewerFormat(p.Format)
		}
		if err == nil {
			p.ID = id
			p.Files, err = gitrepo.ParsePatch(p.Diff)
		}
		if err != nil {
			notices = append(notices, fmt.Sprintf("The proposal %s cannot be read: %v.", name, err))
			continue
		}
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b *session.Patchset) int {
		return cmp.Or(b.Imported.Compare(a.Imported), cmp.Compare(a.ID, b.ID))
	})
	return list, notices
}
