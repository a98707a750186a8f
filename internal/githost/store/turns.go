package store

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"ahp-lsp/internal/githost/gitrepo"
	"ahp-lsp/internal/githost/session"
)

// A turn is kept as two checkpoints:
//
//	refs/ahp/turn/<work tree>/<turn>/start   the work tree before it
//	refs/ahp/turn/<work tree>/<turn>/end     … and after it; missing while it runs
//
// The message of the first holds what the turn is called and, as trailers, what
// is known about it. Commands and hosts write them. A host that runs reads the
// refs again after a Poke.
const turnRefs = "refs/ahp/turn/"

const (
	trailerAgent   = "Ahp-Agent: "
	trailerGuessed = "Ahp-Guessed: true"
	trailerStarted = "Ahp-Started: " // RFC 3339: a commit's own time has seconds only
)

// TurnPrefix is what the refs of the turns of a work tree begin with.
func TurnPrefix(repo *gitrepo.Repo) string { return turnRefs + repo.Name() + "/" }

// TurnRef is the ref of a turn's checkpoint: which is start or end.
func TurnRef(repo *gitrepo.Repo, id, which string) string { return TurnPrefix(repo) + id + "/" + which }

// NewTurnID is a name that sorts by time.
func NewTurnID(now time.Time) string {
	var b [3]byte
	_, _ = rand.Read(b[:])
	return now.UTC().Format("20060102T150405") + fmt.Sprintf("%03d", now.Nanosecond()/1e6) + "-" + hex.EncodeToString(b[:])
}

// errNoTurn is the outcome of ending a turn when none runs.
var errNoTurn = errors.New("no turn is in progress; begin one with \"ahp-lsp turn start\"")

// StartTurn records that an agent begins to work: the work tree as it is now. A
// turn that was never ended ends here. A host of the work tree notices; none
// need run. agent and title may be empty.
func StartTurn(ctx context.Context, repo *gitrepo.Repo, title, agent string) (session.Turn, error) {
	now := time.Now()
	turns, err := Turns(ctx, repo)
	if err != nil {
		return session.Turn{}, fmt.Errorf("turn start: %w", err)
	}
	for _, t := range turns {
		if t.Running() && !t.Guessed {
			if err := endTurn(ctx, repo, t); err != nil {
				return session.Turn{}, fmt.Errorf("turn start: %w", err)
			}
		}
	}
	if title = strings.TrimSpace(title); title == "" {
		title = "Turn at " + now.Format("15:04")
	}
	t := session.Turn{ID: NewTurnID(now), Title: oneLine(title), Agent: agent, Started: now}
	if _, _, err := repo.Checkpoint(ctx, TurnRef(repo, t.ID, "start"), TurnMessage(t)); err != nil {
		return session.Turn{}, fmt.Errorf("turn start: %w", err)
	}
	Poke(repo, PokeTurns)
	return t, nil
}

// EndTurn records that the agent is done: the work tree as it is now.
func EndTurn(ctx context.Context, repo *gitrepo.Repo) (session.Turn, error) {
	turns, err := Turns(ctx, repo)
	if err != nil {
		return session.Turn{}, fmt.Errorf("turn end: %w", err)
	}
	i := slices.IndexFunc(turns, func(t session.Turn) bool { return t.Running() && !t.Guessed })
	if i < 0 {
		return session.Turn{}, errNoTurn
	}
	if err := endTurn(ctx, repo, turns[i]); err != nil {
		return session.Turn{}, fmt.Errorf("turn end: %w", err)
	}
	Poke(repo, PokeTurns)
	turns[i].Ended = time.Now()
	return turns[i], nil
}

func endTurn(ctx context.Context, repo *gitrepo.Repo, t session.Turn) error {
	_, _, err := repo.Checkpoint(ctx, TurnRef(repo, t.ID, "end"), TurnMessage(t))
	return err
}

// TurnMessage is the message of a turn's checkpoints.
func TurnMessage(t session.Turn) string {
	m := t.Title + "\n\n"
	if !t.Started.IsZero() {
		m += trailerStarted + t.Started.UTC().Format(time.RFC3339Nano) + "\n"
	}
	if t.Agent != "" {
		m += trailerAgent + strings.ReplaceAll(t.Agent, "\n", " ") + "\n"
	}
	if t.Guessed {
		m += trailerGuessed + "\n"
	}
	return m
}

// oneLine keeps a title out of the trailers' way.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// readMessage is the reverse of TurnMessage. What stands behind the trailers is
// the engine's.
func readMessage(message string) (t session.Turn) {
	title, rest, _ := strings.Cut(message, "\n\n")
	t.Title = strings.TrimSpace(title)
	for line := range strings.Lines(rest) {
		line = strings.TrimRight(line, "\r\n")
		if agent, ok := strings.CutPrefix(line, trailerAgent); ok {
			t.Agent = agent
		}
		if at, ok := strings.CutPrefix(line, trailerStarted); ok {
			t.Started, _ = time.Parse(time.RFC3339Nano, at)
		}
		t.Guessed = t.Guessed || line == trailerGuessed
	}
	return t
}

// Turns reads the recorded turns from the refs, oldest first. The start of a guessed
// turn without an end is what the next guess starts from, no turn.
func Turns(ctx context.Context, repo *gitrepo.Repo) ([]session.Turn, error) {
	prefix := TurnPrefix(repo)
	refs, err := repo.Refs(ctx, prefix)
	if err != nil {
		return nil, err
	}
	byID := map[string]*session.Turn{}
	var order []string
	for _, r := range refs {
		id, which, ok := strings.Cut(strings.TrimPrefix(r.Name, prefix), "/")
		if !ok || which != "start" && which != "end" {
			continue
		}
		t := byID[id]
		if t == nil {
			t = &session.Turn{ID: id}
			byID[id] = t
			order = append(order, id)
		}
		said := readMessage(r.Message)
		if which == "start" {
			t.Start = r.Tree
		} else {
			t.End, t.Ended = r.Tree, r.Time
		}
		// What a guessed turn was about, and when it began, is known at its end
		// only.
		if which == "end" || t.Title == "" {
			t.Title, t.Agent, t.Guessed, t.Started = said.Title, said.Agent, said.Guessed, said.Started
		}
	}
	slices.Sort(order)
	var out []session.Turn
	for _, id := range order {
		t := byID[id]
		if t.Start == "" || t.Guessed && t.Running() {
			continue
		}
		if !t.Ended.IsZero() && t.Ended.Before(t.Started) {
			t.Ended = t.Started
		}
		out = append(out, *t)
	}
	return out, nil
}
