package githost

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
	"time"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/atomicfile"
	"ahp-lsp/internal/githost/gitrepo"
)

// patchset is a proposed change as it is kept: one file per proposal below the
// repository's state directory, written once by whoever imports it, and never
// changed. What became of it is the host's to record: see decision.
type patchset struct {
	Format    int       `json:"format"`
	ID        string    `json:"id"`
	Run       string    `json:"run,omitempty"`
	Sequence  int       `json:"sequence,omitempty"` // of the attempts of a run
	Commit    string    `json:"commit,omitempty"`   // it was made against
	Title     string    `json:"title"`
	Rationale string    `json:"rationale,omitempty"`
	Imported  time.Time `json:"imported"`
	Diff      []byte    `json:"diff"` // base64: a diff need not be UTF-8

	files   []gitrepo.PatchFile
	remarks string // what does not fit the work tree, as last computed; the Host's mutex guards it
}

// Proposal is an imported PatchSet, for a command's output.
type Proposal struct {
	ID, Title string
	// Problems says, a sentence each, what does not fit the work tree.
	Problems []string
	Files    []string
}

// ErrExists: the PatchSet has been imported before.
var ErrExists = errors.New("it has been imported before")

func patchsetDir(repo *gitrepo.Repo) string { return fileOf(repo, "patchsets", "") }

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
	if p.files, err = gitrepo.ParsePatch(p.Diff); err != nil {
		return Proposal{}, fmt.Errorf("import %s: %w", file, err)
	}
	if len(p.files) == 0 {
		return Proposal{}, fmt.Errorf("import %s: %w: it changes no file", file, gitrepo.ErrMalformedPatch)
	}
	if err := p.keep(repo); err != nil {
		return Proposal{}, fmt.Errorf("import %s: %w", file, err)
	}
	poke(repo, pokePatchsets)
	out := Proposal{ID: p.ID, Title: p.Title}
	results, err := repo.PatchAfter(ctx, p.files)
	if err != nil {
		return out, fmt.Errorf("import %s: it is kept as %s, but cannot be held against the files: %w", file, p.ID, err)
	}
	for _, r := range results {
		out.Files = append(out.Files, r.File.Path())
		for _, problem := range r.Problems {
			out.Problems = append(out.Problems, problemText(r.File.Path(), problem))
		}
	}
	return out, nil
}

func problemText(path string, p gitrepo.PatchProblem) string {
	if p.Line >= 0 {
		return fmt.Sprintf("%s:%d: %s", path, p.Line+1, p.Reason)
	}
	return path + ": " + p.Reason
}

// keep writes the proposal under its id.
func (p *patchset) keep(repo *gitrepo.Repo) error {
	sum := sha256.Sum256(p.Diff)
	print := hex.EncodeToString(sum[:])[:12]
	if !patchsetName().MatchString(p.ID) {
		p.ID = "diff-" + print
	}
	dir := patchsetDir(repo)
	if err := atomicfile.PrivateDir(filepath.Dir(dir)); err != nil {
		return err
	}
	if err := atomicfile.PrivateDir(dir); err != nil {
		return err
	}
	p.Format = journalFormat
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

// readPatchsets reads the proposals of a work tree; a file that cannot be read
// is left out and named.
func readPatchsets(repo *gitrepo.Repo) (list []*patchset, notices []string) {
	dir := patchsetDir(repo)
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
		data, err := os.ReadFile(name)
		p := &patchset{}
		if err == nil {
			err = json.Unmarshal(data, p)
		}
		if err == nil && p.Format > journalFormat {
			err = newerFormat(p.Format)
		}
		if err == nil {
			p.ID = id
			p.files, err = gitrepo.ParsePatch(p.Diff)
		}
		if err != nil {
			notices = append(notices, fmt.Sprintf("The proposal %s cannot be read: %v.", name, err))
			continue
		}
		list = append(list, p)
	}
	slices.SortFunc(list, func(a, b *patchset) int {
		return cmp.Or(b.Imported.Compare(a.Imported), cmp.Compare(a.ID, b.ID))
	})
	return list, notices
}

// newer orders the attempts of a run: the later one first.
func (p *patchset) newer(q *patchset) int {
	return cmp.Or(cmp.Compare(q.Sequence, p.Sequence), q.Imported.Compare(p.Imported))
}

func (p *patchset) label() string { return "Proposal: " + p.Title }

func (p *patchset) description() string {
	d := p.Rationale
	if d == "" {
		d = "A proposed change that is not on disk"
	}
	if p.Run != "" && p.Sequence > 0 {
		d = fmt.Sprintf("Attempt %d of %s. %s", p.Sequence, p.Run, d)
	}
	return d
}
