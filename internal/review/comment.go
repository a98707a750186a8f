package review

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/mapping"
)

// Draft is a comment that is to be made.
type Draft struct {
	Place   string  // FILE, FILE:LINE or FILE:LINE-LINE; lines count from one
	Text    string  // what it says
	Suggest *string // what the lines should be instead; nil for no suggestion
	Agent   bool    // an agent wrote it: it waits for a person to accept it
}

var placePattern = regexp.MustCompile(`^(.+?)(?::(\d+)(?:-(\d+))?)?$`)

// Add makes a comment and returns its id.
func (r *Review) Add(ctx context.Context, d Draft) (id string, err error) {
	a, err := r.annotation(ctx, d)
	if err != nil {
		return "", err
	}
	action, err := ahp.SetAnnotation(a)
	return a.ID, r.dispatch(ctx, action, err)
}

// maxQuote is how many characters of the code a comment keeps.
const maxQuote = 2048

func (r *Review) annotation(ctx context.Context, d Draft) (*ahp.Annotation, error) {
	body := strings.TrimSpace(d.Text)
	if body == "" {
		return nil, errors.New("the text is empty")
	}
	m := placePattern.FindStringSubmatch(d.Place)
	if m == nil {
		return nil, fmt.Errorf("%q is not FILE, FILE:LINE or FILE:LINE-LINE", d.Place)
	}
	path, err := filepath.Abs(m[1])
	if err != nil {
		return nil, err
	}
	rel, err := r.inside(path)
	if err != nil {
		return nil, err
	}
	data, err := r.read(rel)
	if errors.Is(err, fs.ErrNotExist) {
		data, err = r.deleted(ctx, rel)
	}
	if err != nil {
		return nil, err
	}
	id := uuid.NewString()
	a := &ahp.Annotation{
		ID: id, Resource: ahp.FileURI(filepath.ToSlash(r.repo.Root()) + "/" + rel),
		Origin:  &ahp.Origin{Session: r.view.URI, Chat: r.view.State.DefaultChat},
		Entries: []ahp.Entry{{ID: id + ":0", Text: ahp.Plain(body)}},
	}
	quote := ""
	if m[2] != "" {
		if quote, err = setRange(a, mapping.NewText(string(data)), m[1], m[2], m[3]); err != nil {
			return nil, err
		}
	}
	a.Meta = ahp.NewFeedback(r.view.URI, mapping.Shorten(quote, maxQuote))
	if d.Suggest != nil {
		if a.Range == nil {
			return nil, errors.New("a suggestion needs lines: FILE:LINE or FILE:LINE-LINE")
		}
		if a.Meta, err = withSuggestion(a, quote, *d.Suggest); err != nil {
			return nil, err
		}
	}
	if d.Agent {
		a = ahp.ByAgent(a)
	}
	return a, nil
}

// setRange makes the comment one on lines of text, and returns what they are.
func setRange(a *ahp.Annotation, text *mapping.Text, name, from, to string) (quote string, err error) {
	first, _ := strconv.Atoi(from)
	last := first
	lines := from
	if to != "" {
		last, _ = strconv.Atoi(to)
		lines += "-" + to
	}
	count := text.LineCount()
	if text.Line(count-1).Start == text.Len() {
		count-- // what follows the last line end is no line to a person
	}
	if first < 1 || last < first || last > count {
		return "", fmt.Errorf("%s has %s; there is no %s", name, plural(count, "line"), lines)
	}
	span := mapping.Span{Start: text.Line(first - 1).Start, End: text.Line(last - 1).End}
	at := text.Range(span, mapping.UTF16)
	a.Range = &ahp.Range{Start: ahp.Position(at.Start), End: ahp.Position(at.End)}
	return text.Slice(span), nil
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// withSuggestion is the comment's metadata with a change of all of its lines. The last
// line end of text is not part of it: the comment's range has none either.
func withSuggestion(a *ahp.Annotation, old, text string) (json.RawMessage, error) {
	text = strings.TrimSuffix(strings.TrimSuffix(text, "\n"), "\r")
	var meta, feedback map[string]json.RawMessage
	if err := json.Unmarshal(a.Meta, &meta); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(meta[ahp.FeedbackKey], &feedback); err != nil {
		return nil, err
	}
	edit := ahp.SuggestedEdit{NewText: text, OldText: old, Range: ahp.EditorRange{
		StartLine: a.Range.Start.Line + 1, StartColumn: a.Range.Start.Character + 1,
		EndLine: a.Range.End.Line + 1, EndColumn: a.Range.End.Character + 1,
	}}
	var err error
	if feedback["suggestion"], err = ahp.Marshal(ahp.Suggestion{Edits: []ahp.SuggestedEdit{edit}}); err != nil {
		return nil, err
	}
	if meta[ahp.FeedbackKey], err = ahp.Marshal(feedback); err != nil {
		return nil, err
	}
	return ahp.Marshal(meta)
}

// find looks a comment up by its id or a beginning that only it has.
func (r *Review) find(ctx context.Context, id string) (*ahp.Annotation, error) {
	all, err := r.annotations(ctx)
	if err != nil {
		return nil, err
	}
	if id == "" {
		return nil, errors.New("the comment's id is empty; \"ahp-lsp comments\" lists them")
	}
	if a := all.Get(id); a != nil {
		return a, nil
	}
	var found *ahp.Annotation
	for a := range all.All() {
		if strings.HasPrefix(a.ID, id) {
			if found != nil {
				return nil, fmt.Errorf("more than one comment begins with %q", id)
			}
			found = a
		}
	}
	if found == nil {
		return nil, fmt.Errorf("there is no comment %q; \"ahp-lsp comments\" lists them", id)
	}
	return found, nil
}

// Reply adds a text to the comment with this id or beginning of an id.
func (r *Review) Reply(ctx context.Context, id, text string, agent bool) error {
	a, err := r.find(ctx, id)
	if err != nil {
		return err
	}
	body := strings.TrimSpace(text)
	if body == "" {
		return errors.New("the text is empty")
	}
	e := ahp.Entry{ID: uuid.NewString(), Text: ahp.Plain(body)}
	if agent {
		e.Meta = ahp.AgentEntryMeta()
	}
	action, err := ahp.SetEntry(a.ID, e)
	return r.dispatch(ctx, action, err)
}

// Resolve resolves, or reopens, the comment with this id or beginning of an id.
func (r *Review) Resolve(ctx context.Context, id string, resolved bool) error {
	a, err := r.find(ctx, id)
	if err != nil {
		return err
	}
	action, err := ahp.ResolveAnnotation(a.ID, resolved)
	return r.dispatch(ctx, action, err)
}
