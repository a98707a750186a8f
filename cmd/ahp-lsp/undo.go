package main

import (
	"context"
	"fmt"

	"ahp-lsp/internal/githost"
	"ahp-lsp/internal/printable"
)

type undoCommand struct {
	Ref  string `arg:"" optional:"" help:"What to restore, as the operation's message named it; without, the newest."`
	List bool   `help:"List what can be restored, newest first."`
}

// Run restores what an operation destroyed.
func (c *undoCommand) Run(ctx context.Context) error {
	repo, err := openRepo(ctx)
	if err != nil {
		return fmt.Errorf("undo: %w", err)
	}
	defer repo.Close()
	if c.List {
		records, err := repo.UndoList(ctx)
		if err != nil {
			return fmt.Errorf("undo: %w", err)
		}
		for _, r := range records {
			fmt.Printf("%s  %s  %s\n", printable.Line(r.Ref), r.Time.Local().Format("2006-01-02 15:04:05"), printable.Label(r.Message))
		}
		return nil
	}
	out, err := githost.Undo(ctx, repo, c.Ref)
	if err != nil {
		return err // it says "undo: " itself
	}
	fmt.Println(printable.Text(out.Message))
	return nil
}
