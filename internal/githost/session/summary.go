package session

import (
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"strings"
	"time"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/gitrepo"
)

// Provider is what the session's agent is called: any program that writes into
// the work tree.
const Provider = "git"

// MetaKey is where this host puts what the protocol has no place for.
const MetaKey = "ahp-lsp"

// RootChannel is the root channel's state.
func (s *State) RootChannel() map[string]any {
	return map[string]any{
		"agents": []any{map[string]any{
			"provider": Provider, "displayName": "Git work tree",
			"description": "Any program that writes into " + s.names.Dir, "models": []any{},
		}},
		"activeSessions": 1,
	}
}

// titleOf names the session after the repository and its branch.
func titleOf(names Names, git gitrepo.State) string {
	where := git.Branch
	switch {
	case git.Detached:
		where = "detached at " + shortID(git.Head)
	case git.Unborn:
		where += " (no commits yet)"
	}
	if git.Operation != "" {
		where += " (" + git.Operation + " in progress)"
	}
	return filepath.Base(names.Dir) + " · " + where
}

func shortID(id string) string {
	if len(id) > 8 {
		return id[:8]
	}
	return id
}

func (s *State) status() int {
	if s.turns.Active() != nil {
		return ahp.StatusInProgress
	}
	return ahp.StatusIdle
}

// meta is the session's _meta: the branch as the reference host has it, and
// notices for the user.
func (s *State) meta() map[string]any {
	git, notices := s.git, s.notices
	w := map[string]any{}
	if git.Branch != "" {
		w["branchName"] = git.Branch
	}
	if git.Head != "" {
		w["head"] = git.Head
	}
	base := git.Upstream
	if base == "" {
		base = git.DefaultBranch
	}
	if base != "" {
		w["baseBranchName"] = base
	}
	// This session has no end: what is shown by default is what can be taken back,
	// not everything since its beginning.
	ours := map[string]any{"baseline": KindUncommitted}
	if held := heldBack(s.programs); held != "" {
		var list []any
		for _, p := range s.programs.List {
			list = append(list, map[string]any{"key": p.Key, "command": p.Command})
		}
		ours["heldPrograms"] = list
		notices = append([]string{held}, notices...)
	}
	m := map[string]any{"git": w, MetaKey: ours}
	if len(notices) > 0 {
		m["notice"] = strings.Join(notices, "\n")
	}
	return m
}

// heldBack is what the user has to know about programs that do not run when files are
// looked at; "" is nothing. Those of a commit are named when one is made.
func heldBack(p gitrepo.Programs) string {
	if len(p.Filters()) == 0 {
		return ""
	}
	return fmt.Sprintf("The configuration of this repository names programs that do not run until you allow them: %s. Until then its files are shown as git stores them. To allow them, run \"ahp-lsp trust\" here.", p)
}

// SessionChannel is the session channel's state.
func (s *State) SessionChannel() map[string]any {
	m := s.described()
	m["lifecycle"], m["activeClients"] = ahp.LifecycleReady, []any{}
	m["chats"], m["defaultChat"] = []any{s.chatSummary()}, s.names.Chat
	m["changesets"] = s.catalogue()
	return m
}

// Summary is the session as listSessions has it.
func (s *State) Summary() map[string]any {
	m := s.described()
	m["resource"] = s.names.Session
	m["createdAt"], m["modifiedAt"] = timestamp(s.created), timestamp(s.modified)
	return m
}

// described is what the session channel's state and its summary have in common.
func (s *State) described() map[string]any {
	return map[string]any{
		"provider": Provider, "title": titleOf(s.names, s.git), "status": s.status(),
		"project":            map[string]any{"uri": s.names.Root, "displayName": filepath.Base(s.names.Dir)},
		"workingDirectories": []string{s.names.Root},
		"annotations":        s.kept.summary(s.names.Annotations), "_meta": s.meta(),
	}
}

func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// catalogue lists the changesets on offer.
func (s *State) catalogue() []map[string]any {
	entry := func(label, description, rest, kind string) map[string]any {
		return map[string]any{"label": label, "description": description, "uriTemplate": s.names.Session + "/changeset/" + rest, "changeKind": kind}
	}
	branch := entry("Branch changes", "Everything since this branch left the one it will be merged into", KindBranch, KindBranch)
	branch["capabilities"] = map[string]any{"review": map[string]any{}}
	out := []map[string]any{
		entry("Uncommitted changes", "HEAD to the files on disk", KindUncommitted, KindUncommitted),
		entry("Session changes", "From the start of the first turn until now", KindSession, KindSession),
		branch,
		entry("Staged changes", "HEAD to the index", KindStaged, KindStaged),
		entry("Turn", "What one turn changed", "turn/{turnId}", KindTurn),
		entry("Between turns", "From the end of one turn to the end of another", "compare/{originalTurnId}/{modifiedTurnId}", KindCompare),
	}
	for _, p := range s.proposals.Open() {
		out = append(out, entry(p.label(), p.description(), "patchset/"+p.ID, KindPatchset))
	}
	return out
}

// publishSummary publishes how the title and _meta differ from what they were.
func (s *State) publishSummary(oldTitle string, oldMeta map[string]any) {
	changes := map[string]any{}
	if title := titleOf(s.names, s.git); title != oldTitle {
		s.out.publish(s.names.Session, ahp.TypeSessionTitleChanged, map[string]any{"title": title})
		changes["title"] = title
	}
	if meta := s.meta(); !reflect.DeepEqual(meta, oldMeta) {
		s.out.publish(s.names.Session, ahp.TypeSessionMetaChanged, map[string]any{"_meta": meta})
		changes["_meta"] = meta
	}
	s.summaryChanged(changes)
}

// summaryChanged publishes that members of the summary are different.
func (s *State) summaryChanged(changes map[string]any) {
	if len(changes) == 0 {
		return
	}
	s.modified = time.Now()
	changes["modifiedAt"] = timestamp(s.modified)
	s.out.notify(ahp.NoteSessionSummaryChanged, map[string]any{"session": s.names.Session, "changes": maps.Clone(changes)})
}

// catalogueChanged publishes which changesets are on offer.
func (s *State) catalogueChanged() {
	s.out.publish(s.names.Session, ahp.TypeSessionChangesetsChanged, map[string]any{"changesets": s.catalogue()})
}
