package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"
)

// goreleaser makes archives and packages. Later versions need a newer Go.
const goreleaser = "github.com/goreleaser/goreleaser/v2@v2.14.3"

type buildCommand struct {
	Release    bool     `help:"Build the release of the tag that this commit has; otherwise a snapshot."`
	Platform   []string `help:"Build for this platform only, such as linux_amd64." placeholder:"OS_ARCH"`
	Goreleaser string   `help:"The goreleaser to run; otherwise the Go tool fetches and builds one, which takes some minutes the first time." env:"AHP_GORELEASER" placeholder:"PROGRAM"`
}

// Run builds archives, lists of what is in them, checksums and packages in the folder dist.
func (c *buildCommand) Run(ctx context.Context, r root) error {
	h, err := r.home()
	if err == nil {
		err = r.build(ctx, h, *c)
	}
	if err != nil {
		return fmt.Errorf("build: %w", err)
	}
	return nil
}

func (r root) build(ctx context.Context, h Home, c buildCommand) error {
	chosen, err := selected(c.Platform)
	if err != nil {
		return err
	}
	skip := []string{"publish", "announce"}
	if incomplete := h.complete(); incomplete != nil {
		if c.Release {
			return incomplete
		}
		fmt.Fprintln(os.Stderr, "note: no .deb and no .rpm are made:", incomplete)
		skip = append(skip, "nfpm")
	}
	config, err := os.ReadFile(r.path(".goreleaser.yaml"))
	if err != nil {
		return err
	}
	config = only(config, chosen)
	if err := os.MkdirAll(r.path(".release"), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(r.path(".release", "goreleaser.yaml"), config, 0o644); err != nil {
		return err
	}
	command := []string{c.Goreleaser}
	if c.Goreleaser == "" {
		command = []string{"go", "run", goreleaser}
	}
	command = append(command, "release", "--clean", "--config", ".release/goreleaser.yaml", "--skip", strings.Join(skip, ","))
	if !c.Release {
		command = append(command, "--snapshot")
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir = string(r)
	at, err := r.committed(ctx)
	if err != nil {
		return err
	}
	cmd.Env = append(os.Environ(), "AHP_MAINTAINER="+cmp.Or(h.Maintainer, "nobody"), "AHP_REPOSITORY="+h.Repository,
		"AHP_COMMIT_DATE="+at.UTC().Format(time.RFC3339), fmt.Sprint("AHP_COMMIT_TIMESTAMP=", at.Unix()), "AHP_SNAPSHOT="+r.snapshot(ctx))
	cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
	return cmd.Run()
}

// snapshot is the version of what is not released: after the newest tag, and before the
// next one.
func (r root) snapshot(ctx context.Context) string {
	next := "0.0.1"
	if out, err := r.output(ctx, nil, "git", "describe", "--tags", "--abbrev=0", "--match=v[0-9]*"); err == nil {
		var major, minor, patch int
		if _, err := fmt.Sscanf(strings.TrimSpace(out), "v%d.%d.%d", &major, &minor, &patch); err == nil {
			next = fmt.Sprintf("%d.%d.%d", major, minor, patch+1)
		}
	}
	commit, err := r.output(ctx, nil, "git", "rev-parse", "--short=12", "HEAD")
	if err != nil {
		commit = "unknown"
	}
	return next + "-dev." + strings.TrimSpace(commit)
}

var targetLine = regexp.MustCompile(`(?m)^      - ([a-z0-9]+_[a-z0-9]+)_(\S+)\n`)

// only is goreleaser's configuration with these of its targets.
func only(config []byte, chosen []platform) []byte {
	return targetLine.ReplaceAllFunc(config, func(line []byte) []byte {
		m := targetLine.FindSubmatch(line)
		p := string(m[1])
		if strings.HasSuffix(p, "_arm") {
			p += "v" + string(m[2])
		}
		if slices.ContainsFunc(chosen, func(c platform) bool { return c.String() == p }) {
			return line
		}
		return nil
	})
}
