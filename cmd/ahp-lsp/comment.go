package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"ahp-lsp/internal/regularfile"
	"ahp-lsp/internal/review"
)

type commentCommand struct {
	Place   string   `arg:"" help:"FILE, FILE:LINE or FILE:LINE-LINE; lines count from one."`
	Text    []string `arg:"" help:"The comment."`
	Agent   bool     `help:"Say that an agent wrote it; it then waits for a person to accept it."`
	Suggest string   `help:"Suggest what is in this file (- is standard input) in place of the lines." placeholder:"FILE"`
}

// Run makes a comment.
func (c *commentCommand) Run(ctx context.Context) error {
	suggestion, err := c.suggestion()
	if err != nil {
		return fmt.Errorf("comment: read the suggestion: %w", err)
	}
	r, err := openReview(ctx)
	if err != nil {
		return fmt.Errorf("comment: %w", err)
	}
	defer r.Close()
	id, err := r.Add(ctx, review.Draft{Place: c.Place, Text: strings.Join(c.Text, " "), Suggest: suggestion, Agent: c.Agent})
	if err != nil {
		return fmt.Errorf("comment: %w", err)
	}
	fmt.Println(id)
	return nil
}

// maxSuggestion is the size in bytes of the longest suggestion.
const maxSuggestion = 1 << 20

func (c *commentCommand) suggestion() (*string, error) {
	var data []byte
	var err error
	switch c.Suggest {
	case "":
		return nil, nil
	case "-":
		data, err = io.ReadAll(io.LimitReader(os.Stdin, maxSuggestion))
	default:
		data, err = regularfile.Read(c.Suggest, maxSuggestion)
	}
	text := string(data)
	return &text, err
}
