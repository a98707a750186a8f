package main

import (
	"context"
	"fmt"
	"os"
	"strings"

	"ahp-lsp/internal/printable"
	"ahp-lsp/internal/review"
)

type commentsCommand struct {
	JSON     bool `help:"Print JSON."`
	Markdown bool `help:"Print Markdown, to hand to an agent."`
	Open     bool `help:"Only those that are not resolved."`
}

// Run prints the comments on the current work tree.
func (c *commentsCommand) Run(ctx context.Context) error {
	r, err := openReview(ctx)
	if err != nil {
		return fmt.Errorf("comments: %w", err)
	}
	defer r.Close()
	list, err := r.Comments(ctx, c.Open)
	if err != nil {
		return fmt.Errorf("comments: %w", err)
	}
	if notice := r.Notice(); notice != "" { // such as that they cannot be read
		fmt.Fprintln(os.Stderr, "ahp-lsp:", strings.ReplaceAll(printable.Text(notice), "\n", "\nahp-lsp: "))
	}
	write := review.WriteText
	switch {
	case c.JSON:
		write = review.WriteJSON
	case c.Markdown:
		write = review.WriteMarkdown
	case len(list) == 0:
		fmt.Fprintln(os.Stderr, "no comments")
	}
	if err := write(os.Stdout, list); err != nil {
		return fmt.Errorf("comments: %w", err)
	}
	return nil
}
