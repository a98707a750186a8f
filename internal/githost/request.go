package githost

import (
	"context"
	"encoding/json"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/wire"
)

// A handler answers one method. Those in quick run on the reading goroutine
// with h.mu held, so that their answers stand in the order of the state; those
// in slow on a goroutine of their own, without it.
type (
	quickHandler func(p *peer, params json.RawMessage) (any, *ahp.Error)
	slowHandler  func(p *peer, ctx context.Context, params json.RawMessage) (any, *ahp.Error)
)

var quick = map[string]quickHandler{
	"initialize":   (*peer).initialize,
	"reconnect":    (*peer).reconnect,
	"ping":         func(*peer, json.RawMessage) (any, *ahp.Error) { return nil, nil },
	"subscribe":    (*peer).subscribe,
	"listSessions": (*peer).listSessions,
}

var slow = map[string]slowHandler{
	"resourceRead":             (*peer).resourceRead,
	"invokeChangesetOperation": (*peer).invoke,
}

// request answers one request. Before the handshake only initialize, reconnect
// and ping are known, and after it the first two are not.
func (p *peer) request(m ahp.Message) {
	h := p.h
	unknown := wire.Errorf(ahp.CodeMethodNotFound, "Method not found: %s", m.Method)
	handshake := m.Method == "initialize" || m.Method == "reconnect"
	h.mu.Lock()
	defer h.mu.Unlock()
	defer h.flush()
	if m.Method != "ping" && handshake == p.ready {
		p.answer(m.ID, nil, unknown)
		return
	}
	if handle, ok := quick[m.Method]; ok {
		result, err := handle(p, m.Params)
		p.answer(m.ID, result, err)
		return
	}
	handle, ok := slow[m.Method]
	if !ok {
		p.answer(m.ID, nil, unknown)
		return
	}
	if p.unanswered >= maxUnanswered {
		p.answer(m.ID, nil, wire.Errorf(ahp.CodeInternal, "%d requests are already waiting for an answer", p.unanswered))
		return
	}
	p.unanswered++
	// The frame's memory belongs to this goroutine until its next read, which
	// allocates again: it may be kept.
	h.running.Go(func() { p.slowly(m, handle) })
}

// slowly answers a request when its turn has come.
func (p *peer) slowly(m ahp.Message, handle slowHandler) {
	select {
	case p.slow <- struct{}{}:
		defer func() { <-p.slow }()
	case <-p.ctx.Done():
		return
	}
	result, err := handle(p, p.ctx, m.Params)
	p.h.mu.Lock()
	defer p.h.mu.Unlock()
	p.unanswered--
	p.answer(m.ID, result, err)
}

// notification takes what needs no answer. Unknown ones are ignored.
func (p *peer) notification(m ahp.Message) {
	h := p.h
	h.mu.Lock()
	defer h.mu.Unlock()
	defer h.flush()
	if !p.ready {
		return
	}
	switch m.Method {
	case "unsubscribe":
		var c ahp.ChannelParams
		if json.Unmarshal(m.Params, &c) == nil {
			p.subscribed.remove(h.names.Resolve(c.Channel), c.Channel)
			h.state.Changesets().Close(h.hub.subscribed)
		}
	case "dispatchAction":
		var d ahp.DispatchParams
		if err := json.Unmarshal(m.Params, &d); err != nil {
			h.opts.Log.Warningf("dispatchAction: %v", err)
			return
		}
		h.dispatch(p, d)
	case noteSaved:
		h.saved(m.Params)
	}
}

// channelOf reads the channel of params.
func channelOf(params json.RawMessage) (string, *ahp.Error) {
	var c ahp.ChannelParams
	if err := json.Unmarshal(params, &c); err != nil || c.Channel == "" {
		return "", wire.Errorf(ahp.CodeInvalidParams, "params.channel is missing")
	}
	return c.Channel, nil
}

func (p *peer) subscribe(params json.RawMessage) (any, *ahp.Error) {
	spelling, err := channelOf(params)
	if err != nil {
		return nil, err
	}
	uri := p.h.names.Resolve(spelling)
	snapshot, err := p.h.snapshot(uri, spelling, p.shape)
	if err != nil {
		return nil, err
	}
	p.subscribed.add(uri, spelling)
	return withLast(nil, "snapshot", snapshot), nil
}

func (p *peer) listSessions(params json.RawMessage) (any, *ahp.Error) {
	r := ahp.ListSessionsResult{Items: []json.RawMessage{}}
	var q ahp.ListSessionsParams
	_ = json.Unmarshal(params, &q)
	if q.Cursor != "" {
		return r, nil // there is one page
	}
	raw, err := ahp.Marshal(p.shape.session(p.h.state.Summary()))
	if err != nil {
		return nil, wire.Errorf(ahp.CodeInternal, "the session cannot be written: %v", err)
	}
	r.Items = append(r.Items, raw)
	return r, nil
}
