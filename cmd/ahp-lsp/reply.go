package main

import (
	"context"
	"fmt"
	"strings"
)

type replyCommand struct {
	ID    string   `arg:"" help:"The comment's id, or the beginning of it."`
	Text  []string `arg:"" help:"The reply."`
	Agent bool     `help:"Say that an agent wrote it."`
}

// Run replies to a comment.
func (c *replyCommand) Run(ctx context.Context) error {
	r, err := openReview(ctx)
	if err != nil {
		return fmt.Errorf("reply: %w", err)
	}
	defer r.Close()
	if err := r.Reply(ctx, c.ID, strings.Join(c.Text, " "), c.Agent); err != nil {
		return fmt.Errorf("reply: %w", err)
	}
	return nil
}
