// Package review reads and writes the comments on a git work tree, as a client of its
// embedded host: the same one that editors on this work tree use.
package review

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"time"

	"ahp-lsp/bridge"
	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/gitrepo"
	"ahp-lsp/internal/hosts"
)

// timeout bounds how long the host of this machine is waited for.
const timeout = 20 * time.Second

// Review is a connection to the embedded host of a work tree. Its methods may be
// called by one goroutine at a time.
type Review struct {
	client   *bridge.Client
	repo     *gitrepo.Repo
	embedded *hosts.Embedded
	view     *bridge.SessionView
	stop     func() // ends the client and waits for it
	ready    chan *bridge.SessionView
	failed   chan error
	up       chan struct{} // holds a token after a connection has come about
	confirms chan error
	last     atomic.Pointer[error] // of connecting
}

// Open connects to the embedded host of repo's work tree and waits for its session.
// Both arguments belong to the review from then on: they are closed with it, and also
// if Open fails.
func Open(ctx context.Context, repo *gitrepo.Repo, embedded *hosts.Embedded, info ahp.Implementation) (*Review, error) {
	r := &Review{
		repo: repo, embedded: embedded,
		ready: make(chan *bridge.SessionView, 1), failed: make(chan error, 1),
		up: make(chan struct{}, 1), confirms: make(chan error, 8),
	}
	roots := []string{ahp.FileURI(filepath.ToSlash(repo.Root()))}
	r.client = bridge.New(bridge.Config{
		Hosts: func() []bridge.Host { return r.host(roots) }, Roots: roots,
		Session: bridge.SessionAll, Info: info, OnChange: r.change,
	})
	run, stop := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() { defer close(ended); _ = r.client.Run(run) }()
	r.stop = func() { stop(); <-ended }
	var err error
	if r.view, err = r.wait(ctx); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// host is the host to try. One that cannot be started is not tried again.
func (r *Review) host(roots []string) []bridge.Host {
	h, ok := r.embedded.Host(roots)
	if !ok {
		return nil
	}
	if h.Err != nil {
		offer(r.failed, h.Err)
	}
	return []bridge.Host{h}
}

// change takes what the client reports, on the client's goroutines.
func (r *Review) change(ch bridge.Change) {
	switch ch := ch.(type) {
	case bridge.SessionChanged:
		if ch.View != nil {
			offer(r.ready, ch.View)
		}
	case bridge.ConnectionChanged:
		if err := ch.Connection.Err; err != nil {
			r.last.Store(&err)
			if permanent(err) {
				offer(r.failed, err)
			}
		}
		if ch.Connection.State == bridge.Connected {
			offer(r.up, struct{}{})
		}
	case bridge.Confirmed:
		offer(r.confirms, nil)
	case bridge.Rejected:
		offer(r.confirms, errors.New(ch.Reason))
	}
}

// permanent reports whether trying again cannot help. Everything else can: the host
// may be that of another command, which has just ended.
func permanent(err error) bool {
	return errors.Is(err, bridge.ErrForbidden) || errors.Is(err, bridge.ErrBadURL) || ahp.Is(err, ahp.CodeVersion)
}

func (r *Review) wait(ctx context.Context) (*bridge.SessionView, error) {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case view := <-r.ready:
		return view, nil
	case err := <-r.failed:
		return nil, err
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-timer.C:
	}
	err := fmt.Errorf("the embedded host of %s did not answer within %s", r.repo.Root(), timeout)
	if why := r.last.Load(); why != nil {
		err = fmt.Errorf("%w: %w", err, *why)
	}
	return nil, err
}

// Close ends the connection, and the host if this process runs it.
func (r *Review) Close() {
	r.stop()
	r.embedded.Close()
	_ = r.repo.Close()
}

// offer hands v to a waiting or later receiver; what does not fit is dropped.
func offer[T any](ch chan T, v T) {
	select {
	case ch <- v:
	default:
	}
}

// Notice is what the session has to say to its user, such as that comments cannot be
// read; "" if it is nothing.
func (r *Review) Notice() string { return r.view.State.Notes().Notice }

// annotations are the session's comments. If the host ends meanwhile, they are
// asked of the next one.
func (r *Review) annotations(ctx context.Context) (*ahp.Annotations, error) {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	for {
		select { // the token of an earlier connection
		case <-r.up:
		default:
		}
		all, err := r.client.Annotations(ctx, r.view.URI)
		var refused *ahp.Error
		if err == nil || errors.As(err, &refused) {
			return all, err
		}
		select {
		case <-r.up:
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-timer.C:
			return nil, err
		}
	}
}

// dispatch sends an action on the comments and waits until the host has stored
// it.
func (r *Review) dispatch(ctx context.Context, a ahp.Action, err error) error {
	if err == nil {
		err = r.client.Dispatch(r.view.URI+"/annotations", a)
	}
	if err != nil {
		return err
	}
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case err := <-r.confirms:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return fmt.Errorf("the host did not confirm within %s", timeout)
	}
}
