package githost

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"ahp-lsp/internal/githost/gitrepo"
	"ahp-lsp/internal/githost/session"
	"ahp-lsp/internal/githost/store"
)

// claim says that writes of files are no agent's.
func (w *worker) claim(paths []string) {
	w.h.with(func(s *session.State) {
		if g := s.Guess(); g != nil {
			g.Claimed(time.Now(), paths)
			w.wake()
		}
	})
}

// guess carries out what the guesser asks for; it returns when to look again.
func (w *worker) guess(ctx context.Context) (next time.Time) {
	do, plan := session.GuessNothing, session.Plan{}
	w.h.with(func(s *session.State) {
		if g := s.Guess(); g != nil {
			active := s.Turns().Active()
			do, next = g.Next(time.Now(), active != nil && !active.Guessed)
			plan = g.Plan()
		}
	})
	if do == session.GuessNothing {
		return next
	}
	if do == session.GuessRenew {
		w.renewBase(ctx, plan)
		return time.Now() // there may be more to do
	}
	gone, err := w.h.repo.Traceless(ctx, plan.BaseTree, slices.Collect(maps.Keys(plan.Written)))
	if err != nil {
		w.h.logGit(ctx, "compare written files", err)
	}
	var title string
	var nothing bool
	w.h.with(func(s *session.State) {
		g := s.Guess()
		g.Vanished(plan.Written, gone)
		title, nothing = g.Title(), g.Empty()
	})
	switch {
	case do == session.GuessEnd:
		w.endGuess(ctx, plan, title)
	case !nothing:
		w.beginGuess(ctx, plan, title)
	}
	return time.Now()
}

// maxGuessed is how many bytes recording a tree nobody asked for may store.
const maxGuessed = 256 << 20

// checkpoint records the work tree as one side of a guessed turn.
func (w *worker) checkpoint(ctx context.Context, t session.Turn, which string) (tree string, err error) {
	tree, _, err = w.scan.Checkpoint(ctx, store.TurnRef(w.h.repo, t.ID, which), store.TurnMessage(t), maxGuessed)
	return tree, err
}

// renewBase records the tree before the next turn. Where that would fill the
// repository with large files that git does not know, turns are not guessed.
func (w *worker) renewBase(ctx context.Context, plan session.Plan) {
	t := session.Turn{ID: store.NewTurnID(time.Now()), Title: "Before the next turn", Guessed: true}
	if plan.Base != "" {
		_ = w.h.repo.DeleteRef(ctx, store.TurnRef(w.h.repo, plan.Base, "start"))
	}
	tree, err := w.checkpoint(ctx, t, "start")
	if errors.Is(err, gitrepo.ErrTooLarge) {
		err = fmt.Errorf("%w; add large files to .gitignore, or announce turns with \"ahp-lsp turn start\"", err)
	}
	if err != nil {
		t.ID = ""
		w.h.logGit(ctx, "record the work tree to guess turns", err)
	}
	w.h.with(func(s *session.State) { s.Guess().Renewed(t.ID, tree) })
}

// beginGuess starts a guessed turn, unless the writes have changed nothing.
func (w *worker) beginGuess(ctx context.Context, plan session.Plan, title string) {
	now := time.Now()
	t := session.Turn{ID: plan.Base, Title: title, Guessed: true, Started: plan.First, Start: plan.BaseTree}
	tree, err := w.checkpoint(ctx, t, "end")
	if err != nil {
		w.h.logGit(ctx, "record the work tree", err)
	}
	changed := err == nil && tree != plan.BaseTree
	if err == nil && !changed {
		_ = w.h.repo.DeleteRef(ctx, store.TurnRef(w.h.repo, t.ID, "end"))
	}
	w.h.with(func(s *session.State) {
		s.Guess().Begun(now, changed)
		if changed {
			s.AddTurn(t)
			w.mark(session.Dirty{Turns: true})
		}
	})
}

// endGuess ends the guessed turn that runs.
func (w *worker) endGuess(ctx context.Context, plan session.Plan, title string) {
	t := session.Turn{ID: plan.Turn, Title: title, Guessed: true}
	w.h.with(func(s *session.State) {
		if running := s.Turns().Find(t.ID); running != nil {
			t.Started = running.Started
		}
	})
	if _, err := w.checkpoint(ctx, t, "end"); err != nil {
		// The tree recorded at its beginning stands for its end.
		w.h.logGit(ctx, "record the work tree", err)
	}
	w.h.with(func(s *session.State) { s.Guess().Ended(time.Now()) })
	if w.loadTurns(ctx) {
		w.mark(session.Dirty{Turns: true})
	}
}

// endGuessing deletes the tree recorded for the next turn, when the host ends. A guessed turn that runs ends with the tree last recorded.
func (w *worker) endGuessing() {
	g := w.h.state.Guess()
	if g == nil || g.Plan().Base == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = w.h.repo.DeleteRef(ctx, store.TurnRef(w.h.repo, g.Plan().Base, "start"))
}
