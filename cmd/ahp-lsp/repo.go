package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"ahp-lsp/bridge"
	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/gitrepo"
)

// openRepo opens the git work tree that the current folder is in.
func openRepo(ctx context.Context) (*gitrepo.Repo, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	return gitrepo.Open(ctx, dir)
}

// commandTimeout bounds how long a command waits for a host on this machine.
const commandTimeout = 20 * time.Second

// review is a command's connection to the embedded host of the current folder,
// the same one that editors on this work tree use.
type review struct {
	client   *bridge.Client
	repo     *gitrepo.Repo
	session  string
	view     *bridge.SessionView
	up       chan struct{} // holds a token when a connection has come about
	confirms chan error
	close    func()
}

// final reports whether trying again cannot help. Everything else can: the host may
// be that of another command, which has just ended.
func final(err error) bool {
	return errors.Is(err, bridge.ErrForbidden) || errors.Is(err, bridge.ErrBadURL) || ahp.Is(err, ahp.CodeVersion)
}

// openReview connects to the embedded host of the current folder and waits for
// its session.
func openReview(ctx context.Context) (*review, error) {
	repo, err := openRepo(ctx)
	if err != nil {
		return nil, err
	}
	return reviewOf(ctx, repo, newEmbedded(ctx, true))
}

// reviewOf connects to the embedded host of repo's work tree. Both arguments
// are closed with the review, or if there is none.
func reviewOf(ctx context.Context, repo *gitrepo.Repo, hosts *embedded) (*review, error) {
	root := ahp.FileURI(filepath.ToSlash(repo.Root()))
	run, stop := context.WithCancel(ctx)
	r := &review{repo: repo, up: make(chan struct{}, 1), confirms: make(chan error, 8)}
	ready := make(chan *bridge.SessionView, 1)
	failed := make(chan error, 1)
	var last atomic.Pointer[error]
	r.client = bridge.New(bridge.Config{
		Hosts: func() []bridge.Host {
			found := hosts.hosts("git", []string{root})
			for _, h := range found {
				if h.Err != nil { // it has been waited for
					offer(failed, h.Err)
				}
			}
			return found
		},
		Roots:   []string{root},
		Session: bridge.SessionAll,
		Info:    ahp.Implementation{Name: "ahp-lsp", Version: buildVersion()},
		OnChange: func(ch bridge.Change) {
			switch ch := ch.(type) {
			case bridge.SessionChanged:
				if ch.View != nil {
					offer(ready, ch.View)
				}
			case bridge.ConnectionChanged:
				if err := ch.Connection.Err; err != nil {
					last.Store(&err)
					if final(err) {
						offer(failed, err)
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
		},
	})
	ended := make(chan struct{})
	go func() { defer close(ended); _ = r.client.Run(run) }()
	r.close = func() {
		stop()
		<-ended
		hosts.close()
		_ = repo.Close()
	}
	timer := time.NewTimer(commandTimeout)
	defer timer.Stop()
	var err error
	select {
	case r.view = <-ready:
		r.session = r.view.URI
		return r, nil
	case err = <-failed:
	case <-ctx.Done():
		err = ctx.Err()
	case <-timer.C:
		err = fmt.Errorf("the embedded host of %s did not answer within %s", repo.Root(), commandTimeout)
		if why := last.Load(); why != nil {
			err = fmt.Errorf("%w: %w", err, *why)
		}
	}
	r.close()
	return nil, err
}

// offer hands v to a waiting or later receiver; what does not fit is dropped.
func offer[T any](ch chan T, v T) {
	select {
	case ch <- v:
	default:
	}
}

// annotations are the session's comments. Should the host end just now, they are
// asked of the next one.
func (r *review) annotations(ctx context.Context) (*ahp.Annotations, error) {
	timer := time.NewTimer(commandTimeout)
	defer timer.Stop()
	for {
		select { // it tells of a connection that was there before
		case <-r.up:
		default:
		}
		all, err := r.client.Annotations(ctx, r.session)
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
func (r *review) dispatch(ctx context.Context, a ahp.Action, err error) error {
	if err == nil {
		err = r.client.Dispatch(r.session+"/annotations", a)
	}
	if err != nil {
		return err
	}
	timer := time.NewTimer(commandTimeout)
	defer timer.Stop()
	select {
	case err := <-r.confirms:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return fmt.Errorf("the host did not confirm within %s", commandTimeout)
	}
}
