package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/mapping"
)

// The other direction of "comments": whoever has a shell takes part, an agent
// too.

type commentCommand struct {
	Place string   `arg:"" help:"FILE, FILE:LINE or FILE:LINE-LINE; lines count from one."`
	Text  []string `arg:"" help:"The comment."`
	Agent bool     `help:"Say that an agent wrote it; it then waits to be accepted by a person."`
}

type replyCommand struct {
	ID    string   `arg:"" help:"The comment's id, or the beginning of it."`
	Text  []string `arg:"" help:"The reply."`
	Agent bool     `help:"Say that an agent wrote it."`
}

type resolveCommand struct {
	ID     string `arg:"" help:"The comment's id, or the beginning of it."`
	Reopen bool   `help:"Reopen it instead."`
}

var placePattern = regexp.MustCompile(`^(.+?)(?::(\d+)(?:-(\d+))?)?$`)

// Run makes a comment.
func (c *commentCommand) Run(ctx context.Context) error {
	r, err := openReview(ctx)
	if err != nil {
		return fmt.Errorf("comment: %w", err)
	}
	defer r.close()
	a, err := c.annotation(r)
	if err != nil {
		return fmt.Errorf("comment: %w", err)
	}
	action, err := ahp.SetAnnotation(a)
	if err := r.dispatch(ctx, action, err); err != nil {
		return fmt.Errorf("comment: %w", err)
	}
	fmt.Println(a.ID)
	return nil
}

func (c *commentCommand) annotation(r *review) (*ahp.Annotation, error) {
	body := strings.TrimSpace(strings.Join(c.Text, " "))
	if body == "" {
		return nil, errors.New("the text is empty")
	}
	m := placePattern.FindStringSubmatch(c.Place)
	if m == nil {
		return nil, fmt.Errorf("%q is not FILE, FILE:LINE or FILE:LINE-LINE", c.Place)
	}
	path, err := filepath.Abs(m[1])
	if err != nil {
		return nil, err
	}
	if path, err = r.inside(path); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	id := uuid.NewString()
	a := &ahp.Annotation{
		ID: id, Resource: ahp.FileURI(filepath.ToSlash(path)),
		Origin:  &ahp.Origin{Session: r.session, Chat: r.view.State.DefaultChat},
		Entries: []ahp.Entry{{ID: id + ":0", Text: ahp.Plain(body)}},
	}
	quote := ""
	if m[2] != "" {
		text := mapping.NewText(string(data))
		first, _ := strconv.Atoi(m[2])
		last := first
		if m[3] != "" {
			last, _ = strconv.Atoi(m[3])
		}
		lines := text.LineCount()
		if text.Line(lines-1).Start == text.Len() {
			lines-- // what follows the last line end is no line to a person
		}
		if first < 1 || last < first || last > lines {
			return nil, fmt.Errorf("%s has %s; there is no %s", m[1], count(lines, "line"), strings.TrimPrefix(c.Place, m[1]+":"))
		}
		span := mapping.Span{Start: text.Line(first - 1).Start, End: text.Line(last - 1).End}
		quote = text.Slice(span)
		at := text.Range(span, mapping.UTF16)
		a.Range = &ahp.Range{Start: ahp.Position(at.Start), End: ahp.Position(at.End)}
	}
	a.Meta = ahp.NewFeedback(r.session, mapping.Shorten(quote, 2048))
	if c.Agent {
		a = ahp.ByAgent(a)
	}
	return a, nil
}

// inside is a file's path in the work tree, with links on the way to it
// resolved, as other clients know it.
func (r *review) inside(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if info.IsDir() {
		return "", fmt.Errorf("%s is a folder; name a file", path)
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(path))
	if err != nil {
		return "", err
	}
	path = filepath.Join(dir, filepath.Base(path))
	rel, err := filepath.Rel(r.repo.Root(), path)
	if err != nil || !filepath.IsLocal(rel) {
		return "", fmt.Errorf("%s is not in the work tree %s", path, r.repo.Root())
	}
	return path, nil
}

// find looks a comment up by its id or a beginning that only it has.
func (r *review) find(ctx context.Context, id string) (*ahp.Annotation, error) {
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

// Run replies to a comment.
func (c *replyCommand) Run(ctx context.Context) error {
	r, err := openReview(ctx)
	if err != nil {
		return fmt.Errorf("reply: %w", err)
	}
	defer r.close()
	if err := c.reply(ctx, r); err != nil {
		return fmt.Errorf("reply: %w", err)
	}
	return nil
}

func (c *replyCommand) reply(ctx context.Context, r *review) error {
	a, err := r.find(ctx, c.ID)
	if err != nil {
		return err
	}
	body := strings.TrimSpace(strings.Join(c.Text, " "))
	if body == "" {
		return errors.New("the text is empty")
	}
	e := ahp.Entry{ID: uuid.NewString(), Text: ahp.Plain(body)}
	if c.Agent {
		e.Meta = ahp.AgentEntryMeta()
	}
	action, err := ahp.SetEntry(a.ID, e)
	return r.dispatch(ctx, action, err)
}

// Run resolves or reopens a comment.
func (c *resolveCommand) Run(ctx context.Context) error {
	r, err := openReview(ctx)
	if err != nil {
		return fmt.Errorf("resolve: %w", err)
	}
	defer r.close()
	a, err := r.find(ctx, c.ID)
	if err != nil {
		return fmt.Errorf("resolve: %w", err)
	}
	action, err := ahp.ResolveAnnotation(a.ID, !c.Reopen)
	if err := r.dispatch(ctx, action, err); err != nil {
		return fmt.Errorf("resolve: %w", err)
	}
	return nil
}
