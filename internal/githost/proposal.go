package githost

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/gitrepo"
)

// decision is what became of a proposal: proposed → applied, or proposed →
// rejected, and nothing else.
type decision struct {
	Patchset string    `json:"patchset"`
	Verdict  string    `json:"verdict"`
	Time     time.Time `json:"time"`
}

const (
	verdictApplied  = "applied"
	verdictRejected = "rejected"
)

// rulings are the decisions, by patchset.
type rulings struct{ decided map[string]decision }

func newRulings() rulings { return rulings{map[string]decision{}} }

// loadPatchsets reads the proposals when the host starts.
func (h *Host) loadPatchsets() {
	var notices []string
	h.patchsets, notices = readPatchsets(h.repo)
	h.notices = append(h.notices, notices...)
}

// syncPatchsets reads the proposals anew and tells if there are others.
func (h *Host) syncPatchsets() {
	list, notices := readPatchsets(h.repo)
	h.mu.Lock()
	defer h.mu.Unlock()
	before := h.proposedIDs()
	h.patchsets = list
	for _, n := range notices {
		h.notice("%s", n)
	}
	if !slices.Equal(before, h.proposedIDs()) {
		h.catalogueChanged()
	}
}

func (h *Host) patchset(id string) *patchset {
	for _, p := range h.patchsets {
		if p.ID == id {
			return p
		}
	}
	return nil
}

func (h *Host) isProposed(id string) bool {
	_, decided := h.commits.decided[id]
	return !decided
}

// proposed lists the proposals without a verdict: of each run the newest
// attempt first, in the order of their import, then the older attempts; h.mu is
// held.
func (h *Host) proposed() []*patchset {
	var open []*patchset
	for _, p := range h.patchsets {
		if h.isProposed(p.ID) {
			open = append(open, p)
		}
	}
	superseded := func(p *patchset) bool {
		return p.Run != "" && slices.ContainsFunc(open, func(q *patchset) bool { return q.Run == p.Run && q.newer(p) < 0 })
	}
	slices.SortStableFunc(open, func(a, b *patchset) int {
		switch x, y := superseded(a), superseded(b); {
		case x != y && x:
			return 1
		case x != y:
			return -1
		case x && a.Run == b.Run:
			return a.newer(b)
		}
		return 0
	})
	return open
}

func (h *Host) proposedIDs() (ids []string) {
	for _, p := range h.proposed() {
		ids = append(ids, p.ID)
	}
	return ids
}

// proposalScheme names a file as a proposal would make it:
//
//	ahp-patchset:///<id>/<path>?version=<hash of the content>
const proposalScheme = "ahp-patchset"

func proposalURI(id, path, version string) string {
	return proposalScheme + "://" + (&url.URL{Path: "/" + id + "/" + path}).EscapedPath() + "?version=" + version
}

func parseProposal(uri string) (id, path, version string, ok bool) {
	u, q, ok := parseReference(uri, proposalScheme)
	if !ok {
		return "", "", "", false
	}
	id, path, ok = strings.Cut(strings.TrimPrefix(u.Path, "/"), "/")
	return id, path, q.Get("version"), ok
}

// patchsetFiles holds a proposal against the work tree as it is now. Files that
// have the change already are left out; a file that nothing of it fits is there
// without a difference. What does not fit, where and why, is in the file's _meta
// and in the description of the operation that applies it.
func (h *Host) patchsetFiles(ctx context.Context, id string) ([]*changesetFile, error) {
	h.mu.Lock()
	p, open := h.patchset(id), h.isProposed(id)
	h.mu.Unlock()
	if p == nil || !open {
		return []*changesetFile{}, nil
	}
	results, err := h.repo.PatchAfter(ctx, p.files)
	if err != nil {
		return nil, err
	}
	files := make([]*changesetFile, 0, len(results))
	var remarks []string
	for _, r := range results {
		for _, problem := range r.Problems {
			remarks = append(remarks, sentence(problemText(r.File.Path(), problem)))
		}
		if r.State != gitrepo.PatchApplied && (r.Diff.Before != nil || r.Diff.After != nil) {
			files = append(files, h.proposedFile(p, r))
		}
	}
	h.mu.Lock()
	p.remarks = strings.Join(remarks, " ")
	h.mu.Unlock()
	return files, nil
}

func (h *Host) proposedFile(p *patchset, r gitrepo.PatchResult) *changesetFile {
	f := &changesetFile{id: h.fileURI(r.File.Path()), diff: r.Diff, proposed: true}
	f.version = h.versionOf(f)
	before := h.side(f.diff.Before, f.diff.Binary)
	var after *ahp.FileSide
	if s := f.diff.After; s != nil {
		f.data = r.AfterData
		version := contentHash(f.data)
		size := float64(len(f.data))
		after = &ahp.FileSide{URI: h.fileURI(s.Path), Content: ahp.ContentRef{URI: proposalURI(p.ID, s.Path, version), Nonce: version, SizeHint: &size}}
	}
	if r.State == gitrepo.PatchFailed && before != nil {
		after = before // no difference, rather than a deletion
	}
	meta := fileMeta(f.diff)
	meta["state"] = string(r.State)
	var problems []map[string]any
	for _, q := range r.Problems {
		problem := map[string]any{"reason": q.Reason}
		if q.Line >= 0 {
			problem["line"] = q.Line
		}
		problems = append(problems, problem)
	}
	if len(problems) > 0 {
		meta["problems"] = problems
	}
	if p.Rationale != "" {
		meta["rationale"] = p.Rationale
	}
	f.write(before, after, meta, false, false)
	return f
}

// decide applies or rejects a proposal, on the worker.
func (h *Host) decide(ctx context.Context, id, operation string, targets []gitrepo.Target) (ahp.InvokeResult, *ahp.Error) {
	h.mu.Lock()
	p, open := h.patchset(id), h.isProposed(id)
	var verdict string
	if !open {
		verdict = h.commits.decided[id].Verdict
	}
	h.mu.Unlock()
	switch {
	case p == nil:
		return ahp.InvokeResult{}, fail(ahp.CodeNoSession, "there is no proposal %s", id)
	case !open:
		return ahp.InvokeResult{}, fail(ahp.CodeInvalidParams, "the proposal has been %s already", verdict)
	case operation == opReject:
		if err := h.rule(id, verdictRejected); err != nil {
			return ahp.InvokeResult{}, fail(ahp.CodeInternal, "the verdict %v", err)
		}
		message := ahp.Plain(fmt.Sprintf("Rejected the proposal '%s'.", p.Title))
		return ahp.InvokeResult{Message: &message}, nil
	}
	o, err := h.repo.ApplyPatch(ctx, p.files, targets)
	h.claim(o.Paths)
	if err != nil && !errors.Is(err, gitrepo.ErrNothing) {
		return ahp.InvokeResult{}, operationError(err)
	}
	left, leftErr := h.patchsetFiles(ctx, id)
	if leftErr == nil && len(left) == 0 {
		if rerr := h.rule(id, verdictApplied); rerr != nil {
			h.log.Errorf("the verdict on %s: %v", id, rerr)
			o.Skipped = append(o.Skipped, "That it has been applied could not be recorded: "+rerr.Error())
		}
		if err != nil {
			err, o.Message = nil, "Everything that is proposed was there already"
		}
	}
	if err != nil {
		return ahp.InvokeResult{}, operationError(err)
	}
	return said(o), nil
}

// rule records a verdict and takes the proposal out of the catalogue.
func (h *Host) rule(id, verdict string) error {
	d := decision{Patchset: id, Verdict: verdict, Time: time.Now().UTC()}
	return h.keep(record{Decision: &d}, func() {
		h.commits.decided[id] = d
		h.catalogueChanged()
	})
}

// keep makes one record durable, and waits for it. The worker calls it.
func (h *Host) keep(r record, apply func()) error {
	k := &keeping{record: r, apply: apply, done: make(chan error, 1)}
	if err := h.commits.add(k); err != nil {
		return err
	}
	select {
	case err := <-k.done:
		return err
	case <-h.ctx.Done():
		return errClosed
	}
}

type keeping struct {
	record record
	apply  func()
	done   chan error
}

func (k *keeping) prepare(*batch) outcome {
	return outcome{
		records: []record{k.record},
		apply:   func() { k.apply(); k.done <- nil },
		refuse:  func(why string) { k.done <- errors.New(why) },
	}
}
