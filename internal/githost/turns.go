package githost

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ahp-lsp/internal/atomicfile"
	"ahp-lsp/internal/githost/gitrepo"
)

// A turn is kept as two checkpoints:
//
//	refs/ahp/turn/<work tree>/<turn>/start   the work tree before it
//	refs/ahp/turn/<work tree>/<turn>/end     … and after it; missing while it runs
//
// The message of the first holds what the turn is called and, as trailers, what
// is known about it. Turns are written by whoever records them, with or without
// a host: a host looks at the refs when it is told to (see poke).
const turnRefs = "refs/ahp/turn/"

const (
	trailerAgent   = "Ahp-Agent: "
	trailerGuessed = "Ahp-Guessed: true"
	trailerStarted = "Ahp-Started: " // RFC 3339: a commit's own time has seconds only
)

// Turn is one exchange with an agent, as far as the work tree shows it.
type Turn struct {
	ID      string
	Title   string
	Agent   string // "" if it is not known
	Guessed bool   // nobody said that it began: the host saw a burst of writes
	Started time.Time
	Ended   time.Time // zero while it runs
}

type turn struct {
	Turn
	start, end string // trees; end is "" while it runs
}

func turnPrefix(repo *gitrepo.Repo) string { return turnRefs + repo.Name() + "/" }

func turnRef(repo *gitrepo.Repo, id, which string) string { return turnPrefix(repo) + id + "/" + which }

// newTurnID is a name that sorts by time.
func newTurnID(now time.Time) string {
	var b [3]byte
	_, _ = rand.Read(b[:])
	return now.UTC().Format("20060102T150405") + fmt.Sprintf("%03d", now.Nanosecond()/1e6) + "-" + hex.EncodeToString(b[:])
}

// errNoTurn is the outcome of ending a turn when none runs.
var errNoTurn = errors.New("no turn is in progress; begin one with \"ahp-lsp turn start\"")

// StartTurn records that an agent begins to work: the work tree as it is now. A
// turn that was never ended ends here. A host of the work tree notices; none
// need run. agent and title may be empty.
func StartTurn(ctx context.Context, repo *gitrepo.Repo, title, agent string) (Turn, error) {
	now := time.Now()
	turns, err := readTurns(ctx, repo)
	if err != nil {
		return Turn{}, fmt.Errorf("turn start: %w", err)
	}
	for _, t := range turns {
		if t.end == "" && !t.Guessed {
			if err := endTurn(ctx, repo, t); err != nil {
				return Turn{}, fmt.Errorf("turn start: %w", err)
			}
		}
	}
	if title = strings.TrimSpace(title); title == "" {
		title = "Turn at " + now.Format("15:04")
	}
	t := Turn{ID: newTurnID(now), Title: oneLine(title), Agent: agent, Started: now}
	if _, _, err := repo.Checkpoint(ctx, turnRef(repo, t.ID, "start"), turnMessage(t)); err != nil {
		return Turn{}, fmt.Errorf("turn start: %w", err)
	}
	poke(repo, pokeTurns)
	return t, nil
}

// EndTurn records that the agent is done: the work tree as it is now.
func EndTurn(ctx context.Context, repo *gitrepo.Repo) (Turn, error) {
	turns, err := readTurns(ctx, repo)
	if err != nil {
		return Turn{}, fmt.Errorf("turn end: %w", err)
	}
	i := slices.IndexFunc(turns, func(t turn) bool { return t.end == "" && !t.Guessed })
	if i < 0 {
		return Turn{}, errNoTurn
	}
	if err := endTurn(ctx, repo, turns[i]); err != nil {
		return Turn{}, fmt.Errorf("turn end: %w", err)
	}
	poke(repo, pokeTurns)
	turns[i].Ended = time.Now()
	return turns[i].Turn, nil
}

func endTurn(ctx context.Context, repo *gitrepo.Repo, t turn) error {
	_, _, err := repo.Checkpoint(ctx, turnRef(repo, t.ID, "end"), turnMessage(t.Turn))
	return err
}

// Turns lists the recorded turns, oldest first.
func Turns(ctx context.Context, repo *gitrepo.Repo) ([]Turn, error) {
	turns, err := readTurns(ctx, repo)
	if err != nil {
		return nil, fmt.Errorf("list turns: %w", err)
	}
	out := make([]Turn, 0, len(turns))
	for _, t := range turns {
		out = append(out, t.Turn)
	}
	return out, nil
}

func turnMessage(t Turn) string {
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

// readMessage is the reverse of turnMessage. What stands behind the trailers is
// the engine's.
func readMessage(message string) (t Turn) {
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

// readTurns reads the turns from the refs, oldest first. The start of a guessed
// turn without an end is what the next guess starts from, no turn.
func readTurns(ctx context.Context, repo *gitrepo.Repo) ([]turn, error) {
	prefix := turnPrefix(repo)
	refs, err := repo.Refs(ctx, prefix)
	if err != nil {
		return nil, err
	}
	byID := map[string]*turn{}
	var order []string
	for _, r := range refs {
		id, which, ok := strings.Cut(strings.TrimPrefix(r.Name, prefix), "/")
		if !ok || which != "start" && which != "end" {
			continue
		}
		t := byID[id]
		if t == nil {
			t = &turn{Turn: Turn{ID: id}}
			byID[id] = t
			order = append(order, id)
		}
		said := readMessage(r.Message)
		if which == "start" {
			t.start = r.Tree
		} else {
			t.end, t.Ended = r.Tree, r.Time
		}
		// What a guessed turn was about, and when it began, is known at its end
		// only.
		if which == "end" || t.Title == "" {
			t.Title, t.Agent, t.Guessed, t.Started = said.Title, said.Agent, said.Guessed, said.Started
		}
	}
	slices.Sort(order)
	var out []turn
	for _, id := range order {
		t := byID[id]
		if t.start == "" || t.Guessed && t.end == "" {
			continue
		}
		if !t.Ended.IsZero() && t.Ended.Before(t.Started) {
			t.Ended = t.Started
		}
		out = append(out, *t)
	}
	return out, nil
}

// Pokes tell a running host that something of ours has changed which it cannot
// see on disk without asking git for it.
const (
	pokeTurns     = "turns"
	pokePatchsets = "patchsets"
	pokeUndo      = "undo"
)

// poke is best effort: without it a host notices at its next look.
func poke(repo *gitrepo.Repo, what string) {
	dir := stateDir(repo)
	if atomicfile.PrivateDir(dir) != nil {
		return
	}
	_ = os.WriteFile(filepath.Join(dir, "poke-"+what), []byte(time.Now().Format(time.RFC3339Nano)+"\n"), 0o600)
}

// stateDir is where this program keeps what belongs to a repository.
func stateDir(repo *gitrepo.Repo) string { return filepath.Join(repo.CommonDir(), "ahp") }

// fileOf is the name of a file in stateDir that belongs to one work tree: plain
// for the main one, with the name git has for it for a linked one. It stays the
// same when the work tree is moved.
func fileOf(repo *gitrepo.Repo, name, suffix string) string {
	if filepath.Clean(repo.GitDir()) != filepath.Clean(repo.CommonDir()) {
		name += "-" + filepath.Base(repo.GitDir())
	}
	return filepath.Join(stateDir(repo), name+suffix)
}
