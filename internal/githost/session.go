package githost

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

// provider is what the session's agent is called: any program that writes into
// the work tree.
const provider = "git"

func (h *Host) rootState() map[string]any {
	return map[string]any{
		"agents": []any{map[string]any{
			"provider": provider, "displayName": "Git work tree",
			"description": "Whatever writes into " + h.repo.Root(), "models": []any{},
		}},
		"activeSessions": 1,
	}
}

// title names the session after the repository and its branch; h.mu is held.
func (h *Host) title() string {
	where := h.git.Branch
	switch {
	case h.git.Detached:
		where = "detached at " + shortID(h.git.Head)
	case h.git.Unborn:
		where += " (no commits yet)"
	}
	if h.git.Operation != "" {
		where += " (" + h.git.Operation + " in progress)"
	}
	return filepath.Base(h.repo.Root()) + " · " + where
}

func shortID(id string) string {
	if len(id) > 8 {
		return id[:8]
	}
	return id
}

func (h *Host) status() int {
	if h.activeTurn() != nil {
		return ahp.StatusInProgress
	}
	return ahp.StatusIdle
}

func (h *Host) project() map[string]any {
	return map[string]any{"uri": h.rootURI, "displayName": filepath.Base(h.repo.Root())}
}

// meta is the session's _meta: the branch as the reference host has it, and
// what the user has to know.
func (h *Host) meta() map[string]any {
	git := map[string]any{}
	if h.git.Branch != "" {
		git["branchName"] = h.git.Branch
	}
	if h.git.Head != "" {
		git["head"] = h.git.Head
	}
	base := h.git.Upstream
	if base == "" {
		base = h.git.DefaultBranch
	}
	if base != "" {
		git["baseBranchName"] = base
	}
	// This session has no end: what is shown by default is what can be taken back,
	// not everything since its beginning.
	m := map[string]any{"git": git, "ahp-lsp": map[string]any{"baseline": kindUncommitted}}
	if len(h.notices) > 0 {
		m["notice"] = strings.Join(h.notices, "\n")
	}
	return m
}

// sessionState is the session channel's state; h.mu is held.
func (h *Host) sessionState(s shape) map[string]any {
	m := map[string]any{
		"provider": provider, "title": h.title(), "status": h.status(), "lifecycle": ahp.LifecycleReady,
		"activeClients": []any{}, "project": h.project(),
		"chats": []any{h.chatSummary()}, "defaultChat": h.chatURI,
		"changesets": h.catalogue(), "annotations": h.annotationsSummary(), "_meta": h.meta(),
	}
	s.directories(m, h.rootURI)
	return m
}

// summary is the session as listSessions has it; h.mu is held.
func (h *Host) summary(s shape) map[string]any {
	m := map[string]any{
		"resource": h.session, "provider": provider, "title": h.title(), "status": h.status(),
		"createdAt": timestamp(h.created), "modifiedAt": timestamp(h.modified),
		"project": h.project(), "annotations": h.annotationsSummary(), "_meta": h.meta(),
	}
	s.directories(m, h.rootURI)
	return m
}

func (h *Host) annotationsSummary() map[string]any {
	entries := 0
	for a := range h.annotations.All() {
		entries += len(a.Entries)
	}
	return map[string]any{"resource": h.annotationsURI, "annotationCount": h.annotations.Len(), "entryCount": entries}
}

func timestamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }

// catalogue lists the changesets on offer.
func (h *Host) catalogue() []map[string]any {
	entry := func(label, description, rest, kind string) map[string]any {
		return map[string]any{"label": label, "description": description, "uriTemplate": h.session + "/changeset/" + rest, "changeKind": kind}
	}
	branch := entry("Branch changes", "Everything since this branch left the one it will be merged into", kindBranch, kindBranch)
	branch["capabilities"] = map[string]any{"review": map[string]any{}}
	out := []map[string]any{
		entry("Uncommitted changes", "HEAD to the files on disk", kindUncommitted, kindUncommitted),
		entry("Session changes", "From the start of the first turn until now", kindSession, kindSession),
		branch,
		entry("Staged changes", "HEAD to the index", kindStaged, kindStaged),
		entry("Turn", "What one turn changed", "turn/{turnId}", kindTurn),
		entry("Between turns", "From the end of one turn to the end of another", "compare/{originalTurnId}/{modifiedTurnId}", kindCompare),
	}
	for _, p := range h.proposed() {
		out = append(out, entry(p.label(), p.description(), "patchset/"+p.ID, kindPatchset))
	}
	return out
}

// moved takes where the work tree stands and tells what that changes of the
// session; h.mu is held. It reports whether HEAD is another branch or commit.
func (h *Host) moved(state gitrepo.State) (branch, head bool) {
	oldTitle, oldMeta := h.title(), h.meta()
	branch = h.git.Branch != state.Branch || h.git.Detached != state.Detached
	head = branch || h.git.Head != state.Head || h.git.Upstream != state.Upstream || h.git.DefaultBranch != state.DefaultBranch
	h.git = state
	changes := map[string]any{}
	if title := h.title(); title != oldTitle {
		h.publish(h.session, action(ahp.TypeSessionTitleChanged, map[string]any{"title": title}))
		changes["title"] = title
	}
	if meta := h.meta(); !reflect.DeepEqual(meta, oldMeta) {
		h.publish(h.session, action(ahp.TypeSessionMetaChanged, map[string]any{"_meta": meta}))
		changes["_meta"] = meta
	}
	h.summaryChanged(changes)
	return branch, head
}

// summaryChanged tells that members of the summary are different; h.mu is held.
func (h *Host) summaryChanged(changes map[string]any) {
	if len(changes) == 0 {
		return
	}
	h.modified = time.Now()
	changes["modifiedAt"] = timestamp(h.modified)
	h.note(ahp.NoteSessionSummaryChanged, func(shape) map[string]any {
		return map[string]any{"session": h.session, "changes": maps.Clone(changes)}
	})
}

// notice tells the user something through the session; h.mu is held.
func (h *Host) notice(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	for _, n := range h.notices {
		if n == text {
			return
		}
	}
	h.notices = append(h.notices, text)
	meta := h.meta()
	h.publish(h.session, action(ahp.TypeSessionMetaChanged, map[string]any{"_meta": meta}))
	h.summaryChanged(map[string]any{"_meta": meta})
}

// catalogueChanged tells the changesets on offer anew; h.mu is held.
func (h *Host) catalogueChanged() {
	h.publish(h.session, action(ahp.TypeSessionChangesetsChanged, map[string]any{"changesets": h.catalogue()}))
}
