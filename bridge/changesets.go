package bridge

import (
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/yosida95/uritemplate/v3"

	"ahp-lsp/bridge/ahp"
)

// wantedChangeset is one that should be followed now.
type wantedChangeset struct {
	uri     string
	entry   ahp.CatalogueEntry
	turn    string
	primary bool
}

// followChangesets follows the changesets that matter: hunks are shown from
// the most wanted static one that has files; the next is asked for only when
// that one turns out to be empty. Besides it the newest turn's slice (its
// operations, and what the last turn did) and the one with review flags.
func (c *Client) followChangesets(f *followed) {
	if f.state == nil || c.followed[f.uri] != f {
		return
	}
	var wanted []wantedChangeset
	if f.owner {
		wanted = c.wantedChangesets(f)
	}
	keep := map[string]bool{}
	for _, w := range wanted {
		keep[w.uri] = true
	}
	for _, uri := range slices.Sorted(maps.Keys(f.changesets)) {
		if !keep[uri] {
			c.unsubscribe(uri, "")
		}
	}
	for _, w := range wanted {
		ch := f.changesets[w.uri]
		if ch == nil {
			ch = &changesetChannel{mirror: mirror{uri: w.uri}, f: f, want: w, state: &ahp.Changeset{}}
			f.changesets[w.uri] = ch
			c.subscribe(ch)
			continue
		}
		was := ch.want
		ch.want = w
		if ch.ready && !w.same(was) {
			ch.tell(c, ch.shown().Files())
		}
	}
}

// same reports whether the channel is shown in the same way.
func (w wantedChangeset) same(o wantedChangeset) bool {
	return w.primary == o.primary && w.turn == o.turn && w.entry.Kind == o.entry.Kind && w.entry.Review == o.entry.Review &&
		w.entry.Label == o.entry.Label && w.entry.Description == o.entry.Description
}

func (c *Client) wantedChangesets(f *followed) (out []wantedChangeset) {
	var static []wantedChangeset
	var turn *wantedChangeset
	for _, e := range slices.Concat(f.state.Changesets, f.chat.Changesets) {
		t, err := uritemplate.New(e.Template)
		if err != nil {
			if !f.faulty[e.Template] {
				f.faulty[e.Template] = true
				c.warn("%s: changeset %q: bad URI template %q: %v", f.uri, e.Label, e.Template, err)
			}
			continue
		}
		names := t.Varnames()
		switch {
		case len(names) == 0:
			static = append(static, wantedChangeset{uri: absolute(f.uri, e.Template), entry: e})
		case len(names) == 1 && names[0] == "turnId" && turn == nil:
			id := f.chat.Latest()
			if id == "" {
				continue
			}
			expanded, err := t.Expand(uritemplate.Values{"turnId": uritemplate.String(id)})
			if err != nil {
				c.warn("%s: changeset %q: %v", f.uri, e.Label, err)
				continue
			}
			turn = &wantedChangeset{uri: absolute(f.uri, expanded), entry: e, turn: id}
		}
	}
	static = slices.DeleteFunc(static, func(w wantedChangeset) bool { return f.lost[w.uri] || c.oversized[w.uri] })
	slices.SortStableFunc(static, func(a, b wantedChangeset) int { return c.rank(a.entry.Kind) - c.rank(b.entry.Kind) })
	seen := map[string]bool{}
	static = slices.DeleteFunc(static, func(w wantedChangeset) bool {
		again := seen[w.uri]
		seen[w.uri] = true
		return again
	})
	// Proposals are always shown: they wait for a decision.
	proposal := func(w wantedChangeset) bool { return w.entry.Kind == KindPatchset }
	for _, w := range static {
		if proposal(w) {
			w.primary = true
			out = append(out, w)
		}
	}
	static = slices.DeleteFunc(static, proposal)
	for _, w := range static {
		w.primary = true
		out = append(out, w)
		if ch := f.changesets[w.uri]; ch == nil || !ch.barren() {
			break
		}
	}
	review := func(w wantedChangeset) bool { return w.entry.Review }
	if i := slices.IndexFunc(static, review); i >= 0 && !slices.ContainsFunc(out, func(w wantedChangeset) bool { return w.uri == static[i].uri }) {
		out = append(out, static[i])
	}
	if turn != nil && !seen[turn.uri] && !f.lost[turn.uri] && !c.oversized[turn.uri] {
		turn.primary = len(static) == 0
		out = append(out, *turn)
	}
	return out
}

// rank orders kinds by the user's wish; unknown ones come last.
func (c *Client) rank(kind string) int {
	if i := slices.Index(c.cfg.Changesets, kind); i >= 0 {
		return i
	}
	return len(c.cfg.Changesets)
}

// absolute resolves a template against its session: hosts write relative ones.
func absolute(session, uri string) string {
	if i := strings.IndexAny(uri, ":/"); i > 0 && uri[i] == ':' {
		return uri
	}
	return session + "/" + strings.TrimPrefix(uri, "/")
}

// changesetChannel mirrors one changeset.
type changesetChannel struct {
	mirror
	f      *followed
	want   wantedChangeset
	state  *ahp.Changeset // confirmed; replaced, never changed
	queue  []*pending
	replay *ahp.Changeset // state with the pending actions on top; nil if none

	awaited *peeked // who waits for it to be computed; nil: nobody
}

func (ch *changesetChannel) shown() *ahp.Changeset {
	if ch.replay != nil {
		return ch.replay
	}
	return ch.state
}

// barren reports whether the host has said that there is nothing in it.
func (ch *changesetChannel) barren() bool {
	return ch.ready && ch.state.Status != ahp.ChangesetComputing && len(ch.state.Files()) == 0
}

func (ch *changesetChannel) tell(c *Client, touched []*ahp.ChangesetFile) {
	c.emit(ChangesetChanged{
		Session: ch.f.uri, Channel: ch.uri, Touched: touched,
		View: &ChangesetView{
			Session: ch.f.uri, Channel: ch.uri, Entry: ch.want.entry, Turn: ch.want.turn,
			State: ch.shown(), Primary: ch.want.primary,
		},
	})
}

// set replaces the confirmed state and tells what is shown now.
func (ch *changesetChannel) set(c *Client, state *ahp.Changeset) {
	was := ch.shown()
	ch.state, ch.replay = state, nil
	if len(ch.queue) > 0 {
		ch.replay = state.Clone()
		for _, p := range ch.queue {
			_, _, _ = ch.replay.Apply(p.action)
		}
	}
	ch.tell(c, touched(was, ch.shown()))
	ch.tellComputed(nil)
}

// touched are the files that differ, old and new ones.
func touched(was, now *ahp.Changeset) (out []*ahp.ChangesetFile) {
	for _, f := range was.Files() {
		if now.File(f.ID) != f {
			out = append(out, f)
		}
	}
	for _, f := range now.Files() {
		if was.File(f.ID) != f {
			out = append(out, f)
		}
	}
	return out
}

func (ch *changesetChannel) snapshot(c *Client, raw json.RawMessage) {
	state, err := ahp.DecodeChangeset(raw)
	if err != nil {
		c.warn("%s: %v", ch.uri, err)
	}
	ch.set(c, state)
	c.resend(ch)
	c.followChangesets(ch.f)
}

func (ch *changesetChannel) reduce(c *Client, e ahp.Envelope)  { ch.confirm(c, e, true) }
func (ch *changesetChannel) settled(c *Client, e ahp.Envelope) { ch.confirm(c, e, false) }

// confirm takes an action of the host's; apply is false if the state has it.
func (ch *changesetChannel) confirm(c *Client, e ahp.Envelope, apply bool) {
	var own *pending
	if c.ours(e) {
		own = settle(&ch.queue, e)
	}
	rejected := e.RejectionReason != ""
	next, changed, wasBarren := ch.state, false, ch.barren()
	if apply && !rejected {
		var err error
		next = ch.state.Clone()
		if _, changed, err = next.Apply(e.Action); err != nil {
			c.warn("%s: %v", ch.uri, err)
		}
	}
	if changed || own != nil {
		ch.set(c, next)
	}
	if own != nil && rejected {
		e.Action = own.action // an echo need not repeat what it refuses
		c.reject(e)
	}
	if ch.barren() != wasBarren {
		c.followChangesets(ch.f)
	}
}

func (ch *changesetChannel) ahead(c *Client, p *pending) error {
	switch p.action.Type {
	case ahp.TypeChangesetFilesReviewChanged, ahp.TypeChangesetFilesReviewedChanged:
	default:
		return errors.New("a client cannot dispatch it")
	}
	ch.queue = append(ch.queue, p)
	ch.set(c, ch.state)
	return nil
}

func (ch *changesetChannel) unconfirmed() []*pending { return ch.queue }

func (ch *changesetChannel) gone(c *Client, why string) {
	if ch.f.changesets[ch.uri] == ch {
		delete(ch.f.changesets, ch.uri)
	}
	touched, queue := ch.shown().Files(), ch.queue
	ch.state, ch.replay, ch.queue = &ahp.Changeset{}, nil, nil
	ch.tellComputed(ErrNoTurnContent)
	c.emit(ChangesetChanged{Session: ch.f.uri, Channel: ch.uri, Touched: touched})
	c.abandon(ch.uri, queue, why)
	if why != "" {
		ch.f.lost[ch.uri] = true
		c.followChangesets(ch.f) // the next one in its place
	}
}
