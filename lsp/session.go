package lsp

import (
	"context"
	"fmt"
	"path"
	"strings"

	"ahp-lsp/bridge"
	"ahp-lsp/bridge/ahp"
)

// maxChoices bounds a question's answers: editors show them in a row.
const maxChoices = 12

const (
	answerNewest    = "Newest of this folder"
	answerBaselines = "Show other changes…"
	answerOwn       = "The agent's own"
)

// sessionSelect is ahp.session.select {session?, baseline?}: follows one
// session, all ("all"), or the newest of the workspace (""); shows hunks from
// changesets of a kind, from one with a URI, or from the agent's own ("").
// Without both members the user is asked.
func (s *Server) sessionSelect(args commandArgs) (any, error) {
	var p struct {
		Session  *string `json:"session"`
		Baseline *string `json:"baseline"`
	}
	if err := args.decode(&p); err != nil {
		return nil, err
	}
	if s.host == nil {
		return s.sorry("not connected to an agent host")
	}
	if p.Session != nil {
		s.host.Select(*p.Session)
	}
	if p.Baseline != nil && !s.selectBaseline(s.host, *p.Baseline) {
		return s.sorry("no agent session that is followed offers the changes %q", *p.Baseline)
	}
	if p.Session != nil || p.Baseline != nil {
		return done(nil), nil
	}
	sessions, baselines := s.listed, s.baselineChoices()
	if len(sessions) == 0 && len(baselines) == 0 {
		return s.sorry("the host has no session")
	}
	if !s.client.asks() {
		return done(map[string]any{"sessions": sessions, "baselines": baselines}), nil
	}
	answers := []string{answerNewest}
	byTitle := map[string]bridge.SessionInfo{}
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
	host := s.host
	return nil, later{func(ctx context.Context) (any, error) {
		answer, err := s.choose(ctx, bridge.NoticeInfo, "Which agent session do you want to review?", answers...)
		if err != nil {
			return s.sorry("nothing was chosen: %v", err)
		}
		info, ok := byTitle[answer]
		switch {
		case answer == answerNewest:
			host.Select("")
		case answer == answerBaselines && len(baselines) > 1:
			return s.askBaseline(ctx, host, baselines)
		case !ok:
			return declined()
		case !info.Followed && info.Reason.Elsewhere():
			s.tell(bridge.NoticeInfo, fmt.Sprintf("%s: %s", sessionTitle(info), info.Reason))
			return map[string]any{"ok": false, "reason": info.Reason.String()}, nil
		default:
			host.Select(info.URI)
		}
		return done(map[string]any{"session": info.URI}), nil
	}}
}

// baselineChoice is something that hunks can be shown from.
type baselineChoice struct {
	Baseline string `json:"baseline"` // a kind or a channel, as ahp.session.select takes it
	Label    string `json:"label"`
	Shown    bool   `json:"shown"` // hunks are shown from it now
}

// baselineChoices are what the followed sessions offer: each kind of changeset
// once, and single turns.
func (s *Server) baselineChoices() []baselineChoice {
	out := []baselineChoice{}
	if s.host == nil {
		return out
	}
	at := map[string]int{}
	for _, b := range s.host.Baselines() {
		if b.Entry.Kind == bridge.KindPatchset {
			continue
		}
		choice := baselineChoice{Baseline: b.Entry.Kind, Label: b.Entry.Label, Shown: b.Shown}
		if b.Turn != "" {
			choice.Baseline, choice.Label = b.Channel, upperFirst(s.turnName(b.Session, b.Turn))
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

// askBaseline asks what hunks are to be shown from; not in the loop.
func (s *Server) askBaseline(ctx context.Context, host *bridge.Client, choices []baselineChoice) (any, error) {
	answers := []string{answerOwn}
	byTitle := map[string]string{answerOwn: ""}
	for _, c := range choices[:min(len(choices), maxChoices)] {
		title := c.Label
		if c.Shown {
			title += " (shown)"
		}
		if _, taken := byTitle[title]; taken {
			title += " (" + path.Base(c.Baseline) + ")"
		}
		byTitle[title] = c.Baseline
		answers = append(answers, title)
	}
	answer, err := s.choose(ctx, bridge.NoticeInfo, "Which changes do you want to see as hunks?", answers...)
	if err != nil {
		return s.sorry("nothing was chosen: %v", err)
	}
	baseline, ok := byTitle[answer]
	if !ok {
		return declined()
	}
	return s.inLoop(ctx, func() (any, error) {
		if !s.selectBaseline(host, baseline) {
			return s.sorry("%s cannot be shown any more", strings.TrimSuffix(answer, " (shown)"))
		}
		return done(map[string]any{"baseline": baseline}), nil
	})
}

// selectBaseline keeps the choice, for a host that is started anew.
func (s *Server) selectBaseline(host *bridge.Client, baseline string) bool {
	ok := host.SelectBaseline(baseline)
	if ok {
		s.baseline = baseline
	}
	return ok
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func sessionTitle(info bridge.SessionInfo) string {
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
		title += " in " + baseName(info.Directories[0])
	}
	return title
}
