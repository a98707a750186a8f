package session

import (
	"fmt"
	"reflect"
	"strings"

	"ahp-lsp/bridge/ahp"
)

// Operations this host offers. Package gitrepo knows what each does to files.
const (
	OpRevert      = "revert"
	OpStage       = "stage"
	OpUnstage     = "unstage"
	OpCommit      = "commit"
	OpRevertTurn  = "revert-turn"
	OpStashTurn   = "stash-turn"
	OpUnstashTurn = "unstash-turn"
	OpApply       = "apply"
	OpReject      = "reject"
	OpUndo        = "undo"
	// OpTrust, followed by the hash of the programs that its confirmation names,
	// allows them: others that have come meanwhile are not meant.
	OpTrust = "trust:"
	// OpUndoRef, followed by the name of a ref below refs/ahp/undo/, undoes that
	// one operation. It is understood and not listed: there may be hundreds.
	OpUndoRef = "undo:"
)

// Operation is one verb as it goes over the wire.
type Operation struct {
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

func (o *Operation) same(p *Operation) bool { return reflect.DeepEqual(o, p) }

var (
	everyScope = []string{ahp.ScopeChangeset, ahp.ScopeResource, ahp.ScopeRange}
	parts      = []string{ahp.ScopeResource, ahp.ScopeRange}
	whole      = []string{ahp.ScopeChangeset}
)

// The texts of confirmations: {0} is the file, or the changeset where the
// operation is invoked on all of it.
const (
	confirmRevert     = "Revert the changes in '{0}'? A copy is kept; \"undo\" restores it. Untracked files are deleted."
	confirmRevertTurn = "Take back everything that the turn '{0}' changed? A copy is kept; \"undo\" restores it."
	confirmReject     = "Reject the proposal '{0}'? This cannot be undone."
)

// Offered lists what a kind of changeset offers when it has files.
func Offered(kind string) []Operation {
	revert := Operation{ID: OpRevert, Label: "Revert", Scopes: everyScope, Confirmation: confirmRevert, Icon: "discard", Group: "revert"}
	commit := Operation{ID: OpCommit, Label: "Commit", Scopes: whole, Icon: "git-commit", Group: "commit",
		Description: "Commits what is staged or, if nothing is, all changes of tracked files. Asks for the message first."}
	switch kind {
	case KindUncommitted:
		return []Operation{
			revert,
			{ID: OpStage, Label: "Stage", Scopes: everyScope, Icon: "add", Group: "stage"},
			commit,
		}
	case KindStaged:
		return []Operation{{ID: OpUnstage, Label: "Unstage", Scopes: everyScope, Icon: "remove", Group: "stage"}, commit}
	case KindBranch, KindSession, KindCompare:
		return []Operation{revert}
	case KindTurn:
		revert.Scopes = parts
		return []Operation{
			revert,
			{ID: OpRevertTurn, Label: "Revert turn", Scopes: whole, Confirmation: confirmRevertTurn, Icon: "discard", Group: "revert"},
			{ID: OpStashTurn, Label: "Stash turn", Scopes: whole, Icon: "archive", Group: "revert",
				Description: "Takes back what the turn changed and keeps a copy; \"Unstash turn\" restores it."},
		}
	case KindPatchset:
		return []Operation{
			{ID: OpApply, Label: "Apply", Scopes: everyScope, Icon: "check", Group: "apply"},
			{ID: OpReject, Label: "Reject", Scopes: whole, Confirmation: confirmReject, Icon: "close", Group: "apply"},
		}
	}
	return nil
}

// trust is the operation that allows the programs which the repository names.
func (s *State) trust() Operation {
	return Operation{ID: OpTrust + s.programs.Hash, Label: "Allow this repository's programs", Scopes: whole, Icon: "shield", Group: "trust",
		Description:  "Lets the programs run that the configuration of this repository names, until they change.",
		Confirmation: fmt.Sprintf("The configuration of this repository names programs: %s. Let ahp-lsp run them? Do so only if you trust who made this repository.", s.programs)}
}

// operations lists what a changeset offers as it is now.
func (s *State) operations(c *Changeset) []*Operation {
	var ops []Operation
	for _, o := range Offered(c.ref.Kind) {
		switch {
		case len(c.files) == 0 && o.ID != OpReject:
		case c.ref.Kind == KindPatchset && !s.proposals.isOpen(c.ref.ID):
		case c.ref.Kind == KindTurn && o.ID != OpRevert && s.turns.isActive(c.ref.ID):
			// What a turn has done so far is what it goes on from.
		default:
			if o.ID == OpApply {
				p, _ := s.proposals.Find(c.ref.ID)
				o.Description = p.remarks
			}
			ops = append(ops, o)
		}
	}
	if c.ref.Kind == KindTurn && s.kept.Stash(c.ref.ID) != "" {
		ops = append(ops, Operation{ID: OpUnstashTurn, Label: "Unstash turn", Scopes: whole, Icon: "archive", Group: "revert",
			Description: "Restores what \"Stash turn\" took away."})
	}
	if s.undo != nil {
		ops = append(ops, Operation{ID: OpUndo, Label: "Undo: " + strings.TrimSuffix(s.undo.Message, "."), Scopes: whole, Icon: "history", Group: "undo",
			Description: "Undoes the newest operation, kept as " + s.undo.Ref})
	}
	if s.programs.Held {
		ops = append(ops, s.trust())
	}
	out := make([]*Operation, 0, len(ops))
	for i := range ops {
		o := &ops[i]
		key := run{c.uri, o.ID}
		switch {
		case s.runs.busy[key]:
			o.Status = ahp.OperationRunning
		case s.runs.failures[key] != nil:
			o.Status, o.Error = ahp.OperationError, s.runs.failures[key]
		default:
			o.Status = ahp.OperationIdle
		}
		out = append(out, o)
	}
	return out
}
