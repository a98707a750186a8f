package command

import (
	"context"
	"fmt"
	"path"
	"strings"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/bridge/remote"
	"ahp-lsp/lsp/protocol"
	"ahp-lsp/lsp/view"
	"ahp-lsp/lsp/workspace"
)

// maxChoices bounds a question's answers: editors show them in a row.
const maxChoices = 12

const (
	answerNewest    = "Newest of this folder"
	answerBaselines = "Show other changes…"
	answerOwn       = "The agent's own"
)

// selectSession is ahp.session.select {session?, baseline?}: follows one
// session, all ("all"), or the newest of the workspace (""); shows hunks from
// changesets of a kind, from one with a URI, or from the agent's own ("").
// Without both members the user is asked.
func (c *Commands) selectSession(ctx context.Context, p protocol.SelectArgs) (Result, error) {
	host := c.host()
	if host == nil {
		return c.fail("%v", errNoHost)
	}
	if p.Session != nil {
		host.Select(*p.Session)
	}
	if p.Baseline != nil && !host.SelectBaseline(*p.Baseline) {
		return c.fail("no agent session that is followed offers the changes %q", *p.Baseline)
	}
	if p.Session != nil || p.Baseline != nil {
		return done(), nil
	}
	sessions, baselines := c.state().Listed(), c.baselineChoices(host)
	if len(sessions) == 0 && len(baselines) == 0 {
		return c.fail("the host has no session")
	}
	if !c.editor.Client().Asks() {
		return done("sessions", sessions, "baselines", baselines), nil
	}
	return c.askSession(ctx, host, sessions, baselines)
}

// askSession asks which session is to be followed.
func (c *Commands) askSession(ctx context.Context, host Host, sessions []remote.SessionInfo, baselines []baselineChoice) (Result, error) {
	answers := []string{answerNewest}
	byTitle := map[string]remote.SessionInfo{}
	for _, info := range sessions[:min(len(sessions), maxChoices)] {
		title := sessionTitle(info)
		if _, taken := byTitle[title]; taken {
			title += " (" + path.Base(info.URI) + ")"
		}
		byTitle[title] = info
		answers = append(answers, title)
	}
	if len(baselines) > 1 {
		answers = append(answers, answerBaselines)
	}
	answer, err := c.editor.Choose(ctx, remote.NoticeInfo, "Which agent session do you want to review?", answers...)
	if err != nil {
		return c.fail("nothing was chosen: %v", err)
	}
	info, ok := byTitle[answer]
	switch {
	case answer == answerNewest:
		host.Select("")
	case answer == answerBaselines && len(baselines) > 1:
		return c.askBaseline(ctx, host, baselines)
	case !ok:
		return declined(), nil
	case !info.Followed && info.Reason.Elsewhere():
		c.editor.Tell(remote.NoticeInfo, fmt.Sprintf("%s: %s", sessionTitle(info), info.Reason))
		return notDone(info.Reason.String()), nil
	default:
		host.Select(info.URI)
	}
	return done("session", info.URI), nil
}

// baselineChoice is something that hunks can be shown from.
type baselineChoice struct {
	Baseline string `json:"baseline"` // a kind or a channel, as ahp.session.select takes it
	Label    string `json:"label"`
	Shown    bool   `json:"shown"` // hunks are shown from it now
}

// baselineChoices are what the followed sessions offer: each kind of changeset
// once, and single turns.
func (c *Commands) baselineChoices(host Host) []baselineChoice {
	out := []baselineChoice{}
	at := map[string]int{}
	for _, b := range host.Baselines() {
		if b.Entry.Kind == remote.KindPatchset {
			continue
		}
		choice := baselineChoice{Baseline: b.Entry.Kind, Label: b.Entry.Label, Shown: b.Shown}
		if b.Turn != "" {
			choice.Baseline, choice.Label = b.Channel, view.UpperFirst(c.view().TurnName(b.Session, b.Turn))
		}
		if i, twice := at[choice.Baseline]; twice {
			out[i].Shown = out[i].Shown || b.Shown
			continue
		}
		if choice.Label == "" {
			choice.Label = choice.Baseline
		}
		at[choice.Baseline] = len(out)
		out = append(out, choice)
	}
	return out
}

// askBaseline asks what hunks are to be shown from.
func (c *Commands) askBaseline(ctx context.Context, host Host, choices []baselineChoice) (Result, error) {
	answers := []string{answerOwn}
	byTitle := map[string]string{answerOwn: ""}
	for _, choice := range choices[:min(len(choices), maxChoices)] {
		title := choice.Label
		if choice.Shown {
			title += " (shown)"
		}
		if _, taken := byTitle[title]; taken {
			title += " (" + path.Base(choice.Baseline) + ")"
		}
		byTitle[title] = choice.Baseline
		answers = append(answers, title)
	}
	answer, err := c.editor.Choose(ctx, remote.NoticeInfo, "Which changes do you want to see as hunks?", answers...)
	if err != nil {
		return c.fail("nothing was chosen: %v", err)
	}
	baseline, ok := byTitle[answer]
	if !ok {
		return declined(), nil
	}
	if !host.SelectBaseline(baseline) {
		return c.fail("%s cannot be shown any more", strings.TrimSuffix(answer, " (shown)"))
	}
	return done("baseline", baseline), nil
}

func sessionTitle(info remote.SessionInfo) string {
	title := info.Title
	if title == "" {
		title = path.Base(info.URI)
	}
	switch {
	case info.Status&ahp.StatusInProgress != 0:
		title += " (working)"
	case info.Followed:
		title += " (shown)"
	}
	if !info.Followed && info.Reason.Elsewhere() && len(info.Directories) > 0 {
		title += " in " + workspace.BaseName(info.Directories[0])
	}
	return title
}
