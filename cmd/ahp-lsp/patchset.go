package main

import (
	"context"
	"fmt"

	"ahp-lsp/internal/githost"
	"ahp-lsp/internal/printable"
)

type patchsetCommand struct {
	Import patchsetImportCommand `cmd:"" help:"Propose a change: a unified or git diff, or a PatchSet object."`
}

type patchsetImportCommand struct {
	File      string `arg:"" help:"The diff, or the PatchSet as JSON."`
	Rationale string `help:"Why the change is proposed." placeholder:"TEXT"`
}

// Run imports a proposal; editors show it at the lines it would change.
func (c *patchsetImportCommand) Run(ctx context.Context) error {
	repo, err := openRepo(ctx)
	if err != nil {
		return fmt.Errorf("patchset import: %w", err)
	}
	defer repo.Close()
	p, err := githost.ImportPatchSet(ctx, repo, c.File, c.Rationale)
	if err != nil {
		return fmt.Errorf("patchset import: %w", err)
	}
	fmt.Println(p.ID)
	for _, problem := range p.Problems {
		fmt.Println("note:", printable.Text(problem))
	}
	return nil
}
