package githost

import (
	"path"
	"reflect"
	"strings"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/gitrepo"
)

// Operations this host offers. What each does to files is the engine's
// business: see package gitrepo.
const (
	opRevert      = "revert"
	opStage       = "stage"
	opUnstage     = "unstage"
	opCommit      = "commit"
	opRevertTurn  = "revert-turn"
	opStashTurn   = "stash-turn"
	opUnstashTurn = "unstash-turn"
	opApply       = "apply"
	opReject      = "reject"
	opUndo        = "undo"
	// opUndoRef, followed by the name of a ref below refs/ahp/undo/, undoes that
	// one operation. It is understood and not listed: there may be hundreds.
	opUndoRef = "undo:"
)

// operation is one verb as it goes over the wire.
type operation struct {
	ID           string         `json:"id"`
	Label        string         `json:"label"`
	Description  string         `json:"description,omitempty"`
	Scopes       []string       `json:"scopes"`
	Confirmation string         `json:"confirmation,omitempty"`
	Icon         string         `json:"icon,omitempty"`
	Group        string         `json:"group,omitempty"`
	Status       string         `json:"status"`
	Error        *ahp.ErrorInfo `json:"error,omitempty"`
}

func (o *operation) same(p *operation) bool { return reflect.DeepEqual(o, p) }

// failureKey names an operation of a changeset.
type failureKey struct{ channel, operation string }

var (
	everyScope = []string{ahp.ScopeChangeset, ahp.ScopeResource, ahp.ScopeRange}
	parts      = []string{ahp.ScopeResource, ahp.ScopeRange}
	whole      = []string{ahp.ScopeChangeset}
)

// The texts of confirmations: {0} is the file, or the changeset where the
// operation is invoked on all of it.
const (
	confirmRevert     = "Revert the changes in '{0}'? What is lost is kept, and \"undo\" brings it back. Untracked files are deleted."
	confirmRevertTurn = "Take everything back that the turn '{0}' changed? What is lost is kept, and \"undo\" brings it back."
	confirmReject     = "Reject the proposal '{0}'? This is recorded and final."
)

// offered lists what a kind of changeset offers when it has files.
func offered(kind string) []operation {
	revert := operation{ID: opRevert, Label: "Revert", Scopes: everyScope, Confirmation: confirmRevert, Icon: "discard", Group: "revert"}
	commit := operation{ID: opCommit, Label: "Commit", Scopes: whole, Icon: "git-commit", Group: "commit",
		Description: "Commits what is staged or, if nothing is, all changes of tracked files. Asks for the message first."}
	switch kind {
	case kindUncommitted:
		return []operation{
			revert,
			{ID: opStage, Label: "Stage", Scopes: everyScope, Icon: "add", Group: "stage"},
			commit,
		}
	case kindStaged:
		return []operation{{ID: opUnstage, Label: "Unstage", Scopes: everyScope, Icon: "remove", Group: "stage"}, commit}
	case kindBranch, kindSession, kindCompare:
		return []operation{revert}
	case kindTurn:
		revert.Scopes = parts
		return []operation{
			revert,
			{ID: opRevertTurn, Label: "Revert turn", Scopes: whole, Confirmation: confirmRevertTurn, Icon: "discard", Group: "revert"},
			{ID: opStashTurn, Label: "Stash turn", Scopes: whole, Icon: "archive", Group: "revert",
				Description: "Takes back what the turn changed and keeps it, to be brought back with \"Unstash turn\"."},
		}
	case kindPatchset:
		return []operation{
			{ID: opApply, Label: "Apply", Scopes: everyScope, Icon: "check", Group: "apply"},
			{ID: opReject, Label: "Reject", Scopes: whole, Confirmation: confirmReject, Icon: "close", Group: "apply"},
		}
	}
	return nil
}

// operations lists what a changeset offers as it is now; h.mu is held.
func (h *Host) operations(c *changeset) []*operation {
	var ops []operation
	for _, o := range offered(c.ref.kind) {
		switch {
		case len(c.files) == 0 && o.ID != opReject:
		case c.ref.kind == kindPatchset && !h.isProposed(c.ref.id):
		case c.ref.kind == kindTurn && o.ID != opRevert && h.isActive(c.ref.id):
			// What a turn has done so far is what it goes on from.
		default:
			if o.ID == opApply {
				o.Description = h.patchset(c.ref.id).remarks
			}
			ops = append(ops, o)
		}
	}
	if c.ref.kind == kindTurn && h.stashed(c.ref.id) != "" {
		ops = append(ops, operation{ID: opUnstashTurn, Label: "Unstash turn", Scopes: whole, Icon: "archive", Group: "revert",
			Description: "Brings back what \"Stash turn\" took away."})
	}
	if h.undo != nil {
		ops = append(ops, operation{ID: opUndo, Label: "Undo: " + strings.TrimSuffix(h.undo.Message, "."), Scopes: whole, Icon: "history", Group: "undo",
			Description: "Undoes the newest operation, kept as " + h.undo.Ref})
	}
	out := make([]*operation, 0, len(ops))
	for i := range ops {
		o := &ops[i]
		key := failureKey{c.uri, o.ID}
		switch {
		case h.busy[key]:
			o.Status = ahp.OperationRunning
		case h.failures[key] != nil:
			o.Status, o.Error = ahp.OperationError, h.failures[key]
		default:
			o.Status = ahp.OperationIdle
		}
		out = append(out, o)
	}
	return out
}

func (h *Host) isActive(turn string) bool {
	t := h.turn(turn)
	return t != nil && t.end == ""
}

// find returns the operation with an id; h.mu is held. On a changeset that
// nobody is subscribed to, and that has therefore not been computed, everything
// of its kind is on offer.
func (h *Host) find(uri string, ref changesetRef, id string) *operation {
	if strings.HasPrefix(id, opUndoRef) {
		return &operation{ID: id, Label: "Undo", Scopes: whole}
	}
	if c := h.changesets[uri]; c != nil && c.status != ahp.ChangesetComputing {
		for _, o := range h.operations(c) {
			if o.ID == id {
				return o
			}
		}
		return nil
	}
	all := append(offered(ref.kind), operation{ID: opUndo, Label: "Undo", Scopes: whole})
	if ref.kind == kindTurn {
		all = append(all, operation{ID: opUnstashTurn, Label: "Unstash turn", Scopes: whole})
	}
	for i := range all {
		if all[i].ID == id {
			return &all[i]
		}
	}
	return nil
}

// target is what an operation acts on, as the engine has it.
func (h *Host) target(uri string, t *ahp.OperationTarget) ([]gitrepo.Target, *ahp.Error) {
	if t == nil {
		return []gitrepo.Target{{}}, nil
	}
	rel, ok := h.relative(t.Resource)
	if !ok {
		return nil, fail(ahp.CodeInvalidParams, "the target %q is no file of %s", t.Resource, h.repo.Root())
	}
	out := gitrepo.Target{Path: rel}
	if t.Kind == ahp.ScopeRange {
		r, err := lines(t)
		if err != nil {
			return nil, err
		}
		out.Range = r
	}
	seen, err := h.fresh(uri, rel)
	if err != nil {
		return nil, err
	}
	out.Seen = seen
	return []gitrepo.Target{out}, nil
}

// lines turns a range of characters into the whole lines that it touches. An
// empty range at the start of a line is the place in front of it.
func lines(t *ahp.OperationTarget) (*gitrepo.Range, *ahp.Error) {
	if t.Range == nil {
		return nil, fail(ahp.CodeInvalidParams, "a target of kind range needs a range")
	}
	if t.Side != "" && t.Side != gitrepo.BeforeSide && t.Side != gitrepo.AfterSide {
		return nil, fail(ahp.CodeInvalidParams, "the side of a range is before or after, not %q", t.Side)
	}
	if why := badRange(*t.Range); why != "" {
		return nil, fail(ahp.CodeInvalidParams, "the target's %s", why)
	}
	r := gitrepo.Range{Side: t.Side, Start: t.Range.Start.Line, End: t.Range.End.Line}
	if t.Range.End.Character > 0 {
		r.End++
	}
	return &r, nil
}

// fresh refuses a target whose file is not the one that clients have been told
// about: the lines they mean are not where they were. It may still become another
// one, or HEAD or the index may: seen tells when the engine has read it. The worker
// calls both.
func (h *Host) fresh(uri, rel string) (seen func(gitrepo.FileDiff) bool, _ *ahp.Error) {
	h.mu.Lock()
	c := h.changesets[uri]
	var f *changesetFile
	computed := false
	if c != nil {
		computed = c.status == ahp.ChangesetReady
		for _, g := range c.files {
			if g.diff.Path() == rel || g.diff.Before != nil && g.diff.Before.Path == rel {
				f = g
			}
		}
	}
	h.mu.Unlock()
	switch {
	case !computed:
		return nil, nil // the client has seen nothing that could be out of date
	case f == nil:
		return nil, fail(ahp.CodeInvalidParams, "%s is not in this changeset (any more)", rel)
	case f.version != h.versionOf(f):
		h.noticed(dirty{worktree: true})
		return nil, fail(ahp.CodeConflict, "%s %v; look at it again and repeat", path.Base(rel), gitrepo.ErrStale)
	}
	return func(d gitrepo.FileDiff) bool {
		return h.versionOf(&changesetFile{diff: d, proposed: f.proposed}) == f.version
	}, nil
}
