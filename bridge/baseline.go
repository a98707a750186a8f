package bridge

import (
	"cmp"
	"slices"

	"github.com/yosida95/uritemplate/v3"

	"ahp-lsp/bridge/ahp"
)

// The baseline is the changeset that hunks are shown from. Unless the user chose
// another one it is the agent's own: its session's, or the newest turn's where
// the host offers no changeset of the session. What is not committed, or not
// merged, holds the user's edits too.

// Kinds of changesets that mean something here; hosts have others as well.
const (
	KindSession     = "session"
	KindTurn        = "turn"
	KindUncommitted = "uncommitted"
	KindBranch      = "branch"
	KindStaged      = "staged"
	// KindPatchset is a changeset whose after side is proposed: it is not on disk
	// yet.
	KindPatchset = "patchset"
)

// defaultChangesets is the order in which baselines are tried.
var defaultChangesets = []string{KindSession, KindTurn, KindUncommitted, KindBranch}

// operative are the kinds that hosts have operations on which matter whatever
// hunks are shown: discard, stage, commit, unstage.
var operative = []string{KindUncommitted, KindStaged}

// Baseline is a changeset that hunks can be shown from.
type Baseline struct {
	Session string
	Channel string
	Entry   ahp.CatalogueEntry
	Turn    string // the turn whose slice it is, "" for a static one
	Shown   bool
}

// SelectBaseline shows hunks from the changesets of a kind, or from the one
// changeset with this URI, where a followed session has such a one; "" goes back
// to what the configuration says. A choice is followed even if it is empty.
func (c *Client) SelectBaseline(kindOrURI string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.baseline = kindOrURI
	for _, f := range c.followed {
		c.followChangesets(f)
	}
}

// maxTurnBaselines bounds the turns that Baselines lists: the newest are wanted.
const maxTurnBaselines = 10

// Baselines lists what hunks can be shown from: the static changesets of the
// followed sessions, and the newest turns, newest first.
func (c *Client) Baselines() (out []Baseline) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, uri := range c.order {
		f := c.followed[uri]
		if f == nil || !f.owner || f.state == nil {
			continue
		}
		offer := c.offered(f)
		turns := make([]wantedChangeset, 0, maxTurnBaselines)
		for i := len(f.chat.Turns) - 1; i >= 0 && len(turns) < maxTurnBaselines; i-- {
			if w, ok := c.sliceOf(f, f.chat.Turns[i].ID); ok {
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
func (c *Client) baselines(f *followed, offer offer) (order []wantedChangeset, own func(wantedChangeset) bool) {
	all := slices.Clone(offer.static)
	if offer.turn != nil {
		all = append(all, *offer.turn)
	}
	ofKinds := func(kinds []string) (out []wantedChangeset) {
		for _, kind := range kinds {
			for _, w := range all {
				if w.kind() == kind {
					out = append(out, w)
				}
			}
		}
		return out
	}
	if c.baseline != "" {
		chosen := ofKinds([]string{c.baseline})
		for _, w := range all {
			if len(chosen) == 0 && w.uri == c.baseline {
				chosen = append(chosen, w)
			}
		}
		if w, ok := c.sliceAt(f, c.baseline); ok && len(chosen) == 0 {
			chosen = append(chosen, w)
		}
		if len(chosen) > 0 {
			return chosen[:1], func(wantedChangeset) bool { return true }
		}
	}
	if listed := ofKinds(c.cfg.Changesets); len(listed) > 0 {
		return listed, func(wantedChangeset) bool { return false }
	}
	advice := f.state.Notes().Baseline
	kinds := slices.Concat([]string{advice}, slices.DeleteFunc(slices.Clone(defaultChangesets), func(k string) bool { return k == advice }))
	if f.chatKnown && len(f.chat.Turns) == 0 && f.chat.Active == nil {
		// No agent has done anything: these have the user's edits alone.
		users := []string{KindUncommitted, KindBranch, KindStaged}
		all = slices.DeleteFunc(all, func(w wantedChangeset) bool { return slices.Contains(users, w.kind()) && w.kind() != advice })
	}
	rank := func(w wantedChangeset) int {
		if i := slices.Index(kinds, w.kind()); i >= 0 {
			return i
		}
		return len(kinds)
	}
	slices.SortStableFunc(all, func(a, b wantedChangeset) int { return cmp.Compare(rank(a), rank(b)) })
	return all, func(w wantedChangeset) bool {
		return slices.Contains([]string{KindSession, KindTurn, advice}, w.kind())
	}
}

// kind is what the host calls it, or KindTurn for a turn's.
func (w wantedChangeset) kind() string {
	if w.turn != "" {
		return KindTurn
	}
	return w.entry.Kind
}

// sliceOf is the changeset of one of a session's turns.
func (c *Client) sliceOf(f *followed, turn string) (w wantedChangeset, ok bool) {
	if turn == "" {
		return w, false
	}
	for _, e := range slices.Concat(f.state.Changesets, f.chat.Changesets) {
		t, err := uritemplate.New(e.Template)
		if err != nil || !slices.Equal(t.Varnames(), []string{"turnId"}) {
			continue
		}
		expanded, err := t.Expand(uritemplate.Values{"turnId": uritemplate.String(turn)})
		if err != nil {
			c.warn("%s: changeset %q: %v", f.uri, e.Label, err)
			continue
		}
		return wantedChangeset{uri: absolute(f.uri, expanded), entry: e, turn: turn}, true
	}
	return w, false
}

// sliceAt is the turn's changeset that has this URI.
func (c *Client) sliceAt(f *followed, uri string) (w wantedChangeset, ok bool) {
	for _, turn := range f.chat.Turns {
		if w, ok := c.sliceOf(f, turn.ID); ok && w.uri == uri {
			return w, true
		}
	}
	return w, false
}
