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
func (f *followed) followChangesets() {
	if f.state == nil || f.client.followed[f.uri] != f {
		return
	}
	var wanted []wantedChangeset
	if f.owner {
		wanted = f.wantedChangesets()
	}
	keep := map[string]bool{}
	for _, w := range wanted {
		keep[w.uri] = true
	}
	for _, uri := range slices.Sorted(maps.Keys(f.changesets)) {
		if !keep[uri] {
			f.client.unsubscribe(uri, Reason{})
		}
	}
	for _, w := range wanted {
		ch := f.changesets[w.uri]
		if _, read := f.client.channels[w.uri].(*peekChannel); read {
			continue // it is being read; then this runs again
		}
		if ch == nil {
			ch = &changesetChannel{mirror: mirror{uri: w.uri}, f: f, want: w, state: &ahp.Changeset{}}
			f.changesets[w.uri] = ch
			f.client.subscribe(ch)
			continue
		}
		was := ch.want
		ch.want = w
		if ch.ready && !w.same(was) {
			ch.emit(f.client, ch.shown().Files())
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

func (f *followed) offered() (out offer) {
	seen := map[string]bool{}
	usable := func(uri string) bool {
		again := seen[uri]
		seen[uri] = true
		return !again && f.usable(uri)
	}
	for _, e := range slices.Concat(f.state.Changesets, f.chat.Changesets) {
		t, err := uritemplate.New(e.Template)
		if err != nil {
			if !f.faulty[e.Template] {
				f.faulty[e.Template] = true
				f.client.warn("%s: changeset %q: bad URI template %q: %v", f.uri, e.Label, e.Template, err)
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
	if w, ok := f.sliceOf(f.chat.Latest()); ok && usable(w.uri) {
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
func (f *followed) usable(uri string) bool { return !f.lost[uri] && !f.client.snapshots.oversized[uri] }

func (f *followed) wantedChangesets() (out []wantedChangeset) {
	offer := f.offered()
	add := func(w wantedChangeset) {
		if !slices.ContainsFunc(out, func(o wantedChangeset) bool { return o.uri == w.uri }) {
			out = append(out, w)
		}
	}
	for _, w := range offer.proposals { // always shown: they wait for a decision
		w.primary = true
		add(w)
	}
	order, own := f.baselines(offer)
	for _, w := range order {
		w.primary = true
		add(w)
		ch := f.changesets[w.uri]
		if ch == nil || !ch.empty() || own(w) && !ch.failed() {
			break
		}
	}
	for _, w := range offer.static {
		// Where the user chose another baseline, the agent's own stays at hand.
		if slices.Contains(operationKinds, w.entry.Kind) || f.client.baseline != "" && w.entry.Kind == KindSession {
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
	ahead  []string       // ids of the files that replay has otherwise than state

	awaited *peeked // who waits for it to be computed; nil: nobody
}

func (ch *changesetChannel) shown() *ahp.Changeset {
	if ch.replay != nil {
		return ch.replay
	}
	return ch.state
}

// barren reports whether the host has said that there is nothing in it.
func (ch *changesetChannel) empty() bool {
	return ch.ready && ch.state.Status != ahp.ChangesetComputing && ch.state.Len() == 0
}

// failed reports whether the host could not find out what is in it.
func (ch *changesetChannel) failed() bool { return ch.ready && ch.state.Status == ahp.ChangesetError }

func (ch *changesetChannel) emit(c *Client, touched []*ahp.ChangesetFile) {
	c.emit(ChangesetChanged{
		Session: ch.f.uri, Channel: ch.uri, Touched: touched,
		View: &ChangesetView{
			Session: ch.f.uri, Channel: ch.uri, Entry: ch.want.entry, Turn: ch.want.turn,
			State: ch.shown(), Primary: ch.want.primary,
		},
	})
}

// set replaces the confirmed state by one in which at most the files with the
// ids are others, and emits what is shown now.
func (ch *changesetChannel) set(c *Client, state *ahp.Changeset, ids []string) {
	was := ch.shown()
	ids = append(ids, ch.ahead...)
	ch.state, ch.replay, ch.ahead = state, nil, nil
	if len(ch.queue) > 0 {
		ch.replay = state.Clone()
		for _, p := range ch.queue {
			files, _, _ := ch.replay.Apply(p.action)
			ch.ahead = append(ch.ahead, fileIDs(files)...)
		}
	}
	ch.emit(c, touched(was, ch.shown(), append(ids, ch.ahead...)))
	ch.finishWait(nil)
}

// touched are the files with the ids that differ, first the old ones, then the
// new ones.
func touched(was, now *ahp.Changeset, ids []string) (out []*ahp.ChangesetFile) {
	for _, pair := range [2][2]*ahp.Changeset{{was, now}, {now, was}} {
		seen := make(map[string]bool, len(ids))
		for _, id := range ids {
			f := pair[0].File(id)
			if f != nil && !seen[id] && pair[1].File(id) != f {
				out = append(out, f)
			}
			seen[id] = true
		}
	}
	return out
}

func fileIDs(files []*ahp.ChangesetFile) []string {
	ids := make([]string, len(files))
	for i, f := range files {
		ids[i] = f.ID
	}
	return ids
}

func (ch *changesetChannel) snapshot(c *Client, raw json.RawMessage) {
	state, err := ahp.DecodeChangeset(raw)
	if err != nil {
		c.warn("%s: %v", ch.uri, err)
	}
	ch.set(c, state, fileIDs(slices.Concat(ch.state.Files(), state.Files())))
	c.resend(ch)
	ch.f.followChangesets()
}

func (ch *changesetChannel) reduce(c *Client, e ahp.Envelope)       { ch.confirm(c, e, true) }
func (ch *changesetChannel) acknowledged(c *Client, e ahp.Envelope) { ch.confirm(c, e, false) }

// confirm takes an action of the host's; apply is false if the state has it.
func (ch *changesetChannel) confirm(c *Client, e ahp.Envelope, apply bool) {
	var own *pending
	if e.From(c.id) {
		own = takePending(&ch.queue, e)
	}
	rejected := e.RejectionReason != ""
	next, changed, empty, failed := ch.state, false, ch.empty(), ch.failed()
	var files []*ahp.ChangesetFile
	if apply && !rejected {
		var err error
		next = ch.state.Clone()
		if files, changed, err = next.Apply(e.Action); err != nil {
			c.warn("%s: %v", ch.uri, err)
		}
	}
	if changed || own != nil {
		ch.set(c, next, fileIDs(files))
	}
	if own != nil && rejected {
		e.Action = own.action // an echo need not repeat what it refuses
		c.emit(rejection(e))
	}
	if ch.empty() != empty || ch.failed() != failed {
		ch.f.followChangesets()
	}
}

func (ch *changesetChannel) dispatch(c *Client, p *pending) error {
	switch p.action.Type {
	case ahp.TypeChangesetFilesReviewChanged, ahp.TypeChangesetFilesReviewedChanged:
	default:
		return errors.New("a client cannot dispatch it")
	}
	ch.queue = append(ch.queue, p)
	ch.set(c, ch.state, nil)
	return nil
}

func (ch *changesetChannel) unconfirmed() []*pending { return ch.queue }

func (ch *changesetChannel) gone(c *Client, why Reason) {
	if ch.f.changesets[ch.uri] == ch {
		delete(ch.f.changesets, ch.uri)
	}
	touched, queue := ch.shown().Files(), ch.queue
	ch.state, ch.replay, ch.ahead, ch.queue = &ahp.Changeset{}, nil, nil, nil
	ch.finishWait(ErrNoTurnContent)
	c.emit(ChangesetChanged{Session: ch.f.uri, Channel: ch.uri, Touched: touched})
	c.abandon(ch.uri, queue, why)
	if why != (Reason{}) {
		ch.f.lost[ch.uri] = true
		ch.f.followChangesets() // the next one in its place
	}
}
