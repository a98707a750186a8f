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

// followChangesets follows the changesets that matter: the baseline that hunks
// are shown from (the next one is asked for only when that turns out to be
// empty), proposals, those with operations and review flags, and the newest
// turn's slice.
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
			c.unsubscribe(uri, Reason{})
		}
	}
	for _, w := range wanted {
		ch := f.changesets[w.uri]
		if _, read := c.channels[w.uri].(*peekChannel); read {
			continue // it is being read; then this runs again
		}
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

// offer is what a session has to choose from. Nothing in it is there twice, or
// known to be out of reach.
type offer struct {
	static    []wantedChangeset
	proposals []wantedChangeset
	turn      *wantedChangeset // the newest turn's, nil for none
}

func (c *Client) offered(f *followed) (out offer) {
	seen := map[string]bool{}
	usable := func(uri string) bool {
		again := seen[uri]
		seen[uri] = true
		return !again && c.usable(f, uri)
	}
	for _, e := range slices.Concat(f.state.Changesets, f.chat.Changesets) {
		t, err := uritemplate.New(e.Template)
		if err != nil {
			if !f.faulty[e.Template] {
				f.faulty[e.Template] = true
				c.warn("%s: changeset %q: bad URI template %q: %v", f.uri, e.Label, e.Template, err)
			}
			continue
		}
		w := wantedChangeset{uri: absolute(f.uri, e.Template), entry: e}
		switch {
		case len(t.Varnames()) > 0 || !usable(w.uri):
		case e.Kind == KindPatchset:
			out.proposals = append(out.proposals, w)
		default:
			out.static = append(out.static, w)
		}
	}
	if w, ok := c.sliceOf(f, f.chat.Latest()); ok && usable(w.uri) {
		out.turn = &w
	}
	return out
}

// all are those that hunks can be shown from by kind.
func (o offer) all() []wantedChangeset {
	all := slices.Clone(o.static)
	if o.turn != nil {
		all = append(all, *o.turn)
	}
	return all
}

// usable reports whether a changeset is not known to be out of reach.
func (c *Client) usable(f *followed, uri string) bool { return !f.lost[uri] && !c.oversized[uri] }

func (c *Client) wantedChangesets(f *followed) (out []wantedChangeset) {
	offer := c.offered(f)
	add := func(w wantedChangeset) {
		if !slices.ContainsFunc(out, func(o wantedChangeset) bool { return o.uri == w.uri }) {
			out = append(out, w)
		}
	}
	for _, w := range offer.proposals { // always shown: they wait for a decision
		w.primary = true
		add(w)
	}
	order, own := c.baselines(f, offer)
	for _, w := range order {
		w.primary = true
		add(w)
		ch := f.changesets[w.uri]
		if ch == nil || !ch.barren() || own(w) && !ch.failed() {
			break
		}
	}
	for _, w := range offer.static {
		// Where the user chose another baseline, the agent's own stays at hand.
		if slices.Contains(operative, w.entry.Kind) || c.baseline != "" && w.entry.Kind == KindSession {
			add(w)
		}
	}
	if i := slices.IndexFunc(offer.static, func(w wantedChangeset) bool { return w.entry.Review }); i >= 0 {
		add(offer.static[i])
	}
	if offer.turn != nil {
		add(*offer.turn)
	}
	return out
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

// failed reports whether the host could not find out what is in it.
func (ch *changesetChannel) failed() bool { return ch.ready && ch.state.Status == ahp.ChangesetError }

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
	next, changed, barren, failed := ch.state, false, ch.barren(), ch.failed()
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
	if ch.barren() != barren || ch.failed() != failed {
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

func (ch *changesetChannel) gone(c *Client, why Reason) {
	if ch.f.changesets[ch.uri] == ch {
		delete(ch.f.changesets, ch.uri)
	}
	touched, queue := ch.shown().Files(), ch.queue
	ch.state, ch.replay, ch.queue = &ahp.Changeset{}, nil, nil
	ch.tellComputed(ErrNoTurnContent)
	c.emit(ChangesetChanged{Session: ch.f.uri, Channel: ch.uri, Touched: touched})
	c.abandon(ch.uri, queue, why)
	if why != (Reason{}) {
		ch.f.lost[ch.uri] = true
		c.followChangesets(ch.f) // the next one in its place
	}
}
