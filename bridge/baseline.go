package bridge

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/yosida95/uritemplate/v3"

	"ahp-lsp/bridge/ahp"
)

// The baseline is the changeset that hunks are shown from. Unless the user chose
// another one it is the agent's own: its session's, or the newest turn's where
// the host offers no changeset of the session. What is not committed, or not
// merged, holds the user's edits too.

// defaultChangesets is the order in which baselines are tried.
var defaultChangesets = []string{KindSession, KindTurn, KindUncommitted, KindBranch}

// operationKinds are the kinds that hosts have operations on which matter whatever
// hunks are shown: discard, stage, commit, unstage.
var operationKinds = []string{KindUncommitted, KindStaged}

// SelectBaseline shows hunks from the changesets of a kind, or from the one
// changeset with this URI, in the sessions that have such a one, and what the
// configuration says in the others; "" goes back to the configuration. A choice
// is followed even if it is empty. ok is false, and nothing changes, if no
// followed session offers it. Changesets that failed before are tried again.
func (c *Client) SelectBaseline(kindOrURI string) (ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range c.followed {
		clear(f.lost)
	}
	was := c.baseline
	c.baseline = kindOrURI
	ok = kindOrURI == ""
	for _, f := range c.followed {
		if f.state != nil && f.owner {
			_, chosen := f.chosen(f.offered())
			ok = ok || chosen
		}
	}
	if !ok {
		c.baseline = was
	}
	for _, f := range c.followed {
		f.followChangesets()
	}
	return ok
}

// maxTurnBaselines bounds the turns that Baselines lists: the newest are wanted.
const maxTurnBaselines = 10

// Baselines lists what hunks can be shown from: the static changesets of the
// followed sessions, and the newest turns, newest first.
func (c *Client) Baselines() (out []Baseline) {
	c.mu.Lock()
	defer c.mu.Unlock()
	drafts := slices.DeleteFunc(slices.Sorted(maps.Keys(c.followed)), func(uri string) bool { _, listed := c.list.listed[uri]; return listed })
	for _, uri := range slices.Concat(c.list.order, drafts) {
		f := c.followed[uri]
		if f == nil || !f.owner || f.state == nil {
			continue
		}
		offer := f.offered()
		turns := make([]wantedChangeset, 0, maxTurnBaselines)
		for i := len(f.chat.Turns) - 1; i >= 0 && len(turns) < maxTurnBaselines; i-- {
			if w, ok := f.sliceOf(f.chat.Turns[i].ID); ok && f.usable(w.uri) {
				turns = append(turns, w)
			}
		}
		for _, w := range slices.Concat(offer.static, turns) {
			ch := f.changesets[w.uri]
			out = append(out, Baseline{Session: f.uri, Channel: w.uri, Entry: w.entry, Turn: w.turn, Shown: ch != nil && ch.want.primary})
		}
	}
	return out
}

// baselines are the changesets to show hunks from, in the order in which they
// are tried; own reports whether one is known to be the agent's, so that there
// is nothing to show if it is empty.
func (f *followed) baselines(offer offer) (order []wantedChangeset, own func(wantedChangeset) bool) {
	if w, ok := f.chosen(offer); ok {
		return []wantedChangeset{w}, func(wantedChangeset) bool { return true }
	}
	all := offer.all()
	var listed []wantedChangeset
	for _, kind := range f.client.cfg.Changesets {
		for _, w := range all {
			if w.kind() == kind {
				listed = append(listed, w)
			}
		}
	}
	if len(listed) > 0 {
		return listed, func(wantedChangeset) bool { return false }
	}
	advice := f.state.Notes().Baseline
	advised := func(w wantedChangeset) bool { return advice != "" && w.kind() == advice }
	if f.untouched() {
		users := []string{KindUncommitted, KindBranch, KindStaged} // these have the user's edits alone
		all = slices.DeleteFunc(all, func(w wantedChangeset) bool { return slices.Contains(users, w.kind()) && !advised(w) })
	}
	rank := func(w wantedChangeset) int {
		if advised(w) {
			return -1
		}
		if i := slices.Index(defaultChangesets, w.kind()); i >= 0 {
			return i
		}
		return len(defaultChangesets)
	}
	slices.SortStableFunc(all, func(a, b wantedChangeset) int { return cmp.Compare(rank(a), rank(b)) })
	return all, func(w wantedChangeset) bool {
		return w.kind() == KindSession || w.kind() == KindTurn || advised(w)
	}
}

// chosen is the baseline that the user chose, if this session has it.
func (f *followed) chosen(offer offer) (w wantedChangeset, ok bool) {
	if f.client.baseline == "" {
		return w, false
	}
	for _, w := range offer.all() {
		if w.kind() == f.client.baseline || w.uri == f.client.baseline {
			return w, true
		}
	}
	return f.sliceAt(f.client.baseline)
}

// untouched reports whether it is known that no agent has done anything in the
// session. Turns of other chats than the default one are not known.
func (f *followed) untouched() bool {
	others := slices.ContainsFunc(f.state.Chats, func(s ahp.ChatSummary) bool { return s.Resource != f.chatURI })
	return f.chatRead && !others && !f.chat.Partial && len(f.chat.Turns) == 0 && f.chat.Active == nil
}

// kind is what the host calls it, or KindTurn for a turn's.
func (w wantedChangeset) kind() string {
	if w.turn != "" {
		return KindTurn
	}
	return w.entry.Kind
}

// sliceOf is the changeset of one of a session's turns.
func (f *followed) sliceOf(turn string) (w wantedChangeset, ok bool) {
	if turn == "" {
		return w, false
	}
	entry, template := f.turnTemplate()
	if template == nil {
		return w, false
	}
	expanded, err := template.Expand(uritemplate.Values{"turnId": uritemplate.String(turn)})
	if err != nil {
		f.client.warn("%s: changeset %q: %v", f.uri, entry.Label, err)
		return w, false
	}
	return wantedChangeset{uri: absolute(f.uri, expanded), entry: entry, turn: turn}, true
}

// turnTemplate is what the session offers for single turns; the template is nil
// if it offers nothing.
func (f *followed) turnTemplate() (ahp.CatalogueEntry, *uritemplate.Template) {
	for _, e := range slices.Concat(f.state.Changesets, f.chat.Changesets) {
		if t, err := uritemplate.New(e.Template); err == nil && slices.Equal(t.Varnames(), []string{"turnId"}) {
			return e, t
		}
	}
	return ahp.CatalogueEntry{}, nil
}

// sliceAt is the changeset with this URI if it is that of one of the turns. The
// turns are looked through once for each list of them.
func (f *followed) sliceAt(uri string) (w wantedChangeset, ok bool) {
	if !strings.Contains(uri, ":") || !f.usable(uri) {
		return w, false // a kind, or out of reach
	}
	if f.turnLookup.uri != uri || f.turnLookup.turns != len(f.chat.Turns) {
		f.turnLookup = turnLookup{uri: uri, turns: len(f.chat.Turns)}
		entry, template := f.turnTemplate()
		for i := len(f.chat.Turns) - 1; i >= 0 && template != nil && f.turnLookup.turn == ""; i-- {
			expanded, err := template.Expand(uritemplate.Values{"turnId": uritemplate.String(f.chat.Turns[i].ID)})
			if err == nil && absolute(f.uri, expanded) == uri {
				f.turnLookup.turn, f.turnLookup.entry = f.chat.Turns[i].ID, entry
			}
		}
	}
	return wantedChangeset{uri: uri, entry: f.turnLookup.entry, turn: f.turnLookup.turn}, f.turnLookup.turn != ""
}

// turnLookup is what sliceAt found last.
type turnLookup struct {
	uri   string
	turns int
	turn  string // "" for none
	entry ahp.CatalogueEntry
}
