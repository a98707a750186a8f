package main

import (
	"context"
	"fmt"
)

type resolveCommand struct {
	ID     string `arg:"" help:"The comment's id, or the beginning of it."`
	Reopen bool   `help:"Reopen it instead."`
}

// Run resolves or reopens a comment.
func (c *resolveCommand) Run(ctx context.Context) error {
	r, err := openReview(ctx)
	if err != nil {
		return fmt.Errorf("resolve: %w", err)
	}
	defer r.Close()
	if err := r.Resolve(ctx, c.ID, !c.Reopen); err != nil {
		return fmt.Errorf("resolve: %w", err)
	}
	return nil
}
