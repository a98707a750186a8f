package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

type documentsCommand struct {
	Version string `help:"Version of the program." required:""`
	Out     string `help:"Folder to write to." default:".release"`
}

// completionFiles are the names under which shells look for completions.
var completionFiles = map[string]string{"bash": "ahp-lsp.bash", "fish": "ahp-lsp.fish", "zsh": "_ahp-lsp"}

// Run writes what archives and packages have besides the program: completions and the
// manual page, which the program prints itself, and what Debian asks for.
func (c *documentsCommand) Run(ctx context.Context, r root) error {
	if err := c.write(ctx, r); err != nil {
		return fmt.Errorf("documents: %w", err)
	}
	return nil
}

func (c *documentsCommand) write(ctx context.Context, r root) error {
	text, err := r.notices(ctx)
	if err != nil {
		return err
	}
	if there, err := os.ReadFile(r.path(noticesFile)); err != nil || string(there) != text {
		return errors.Join(err, fmt.Errorf("%s is out of date\nhint: go run ./internal/release modules", noticesFile))
	}
	dir, err := os.MkdirTemp("", "ahp-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "ahp-lsp")
	if _, err := r.output(ctx, []string{"GOOS=", "GOARCH=", "GOFLAGS="}, "go", "build", "-buildvcs=false", "-ldflags", "-X main.version="+c.Version, "-o", program, mainPackage); err != nil {
		return err
	}
	files := map[string]string{}
	for shell, name := range completionFiles {
		if files["completions/"+name], err = r.output(ctx, nil, program, "completion", shell); err != nil {
			return err
		}
	}
	man, err := r.output(ctx, nil, program, "man")
	if err != nil {
		return err
	}
	licence, err := os.ReadFile(r.path("LICENSE"))
	if err != nil {
		return err
	}
	files["man/ahp-lsp.1"] = man
	files["deb/copyright"] = copyright(string(licence))
	if files["man/ahp-lsp.1.gz"], err = gzipped(man); err != nil {
		return err
	}
	h, err := r.home()
	if err != nil {
		return err
	}
	at, err := r.committed(ctx)
	if err != nil {
		return err
	}
	if files["deb/changelog.gz"], err = gzipped(changelog(c.Version, h, at)); err != nil {
		return err
	}
	for name, text := range files {
		path := filepath.Join(r.path(c.Out), filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// committed is when the newest commit was made.
func (r root) committed(ctx context.Context) (time.Time, error) {
	out, err := r.output(ctx, nil, "git", "log", "-1", "--format=%cI")
	if err != nil {
		return time.Time{}, err
	}
	return time.Parse(time.RFC3339, strings.TrimSpace(out))
}

// copyright is Debian's description of the licence, in its machine-readable form.
func copyright(licence string) string {
	_, text, _ := strings.Cut(licence, "\n\n") // after the title
	holder, text, _ := strings.Cut(text, "\n\n")
	var b strings.Builder
	fmt.Fprintf(&b, "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: ahp-lsp\nComment: What is linked into the program is in THIRD-PARTY.md.\n\n")
	fmt.Fprintf(&b, "Files: *\nCopyright: %s\nLicense: Expat\n", strings.TrimPrefix(holder, "Copyright (c) "))
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		if line == "" {
			line = "."
		}
		b.WriteString(" " + line + "\n")
	}
	return b.String()
}

// changelog is Debian's, of one entry.
func changelog(version string, h Home, at time.Time) string {
	maintainer := h.Maintainer
	if maintainer == "" {
		maintainer = "nobody <nobody@example.invalid>"
	}
	return fmt.Sprintf("ahp-lsp (%s) unstable; urgency=medium\n\n  * Release %s.\n\n -- %s  %s\n", version, version, maintainer, at.Format(time.RFC1123Z))
}

// gzipped is the text as gzip, without a name or a time.
func gzipped(text string) (string, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return "", err
	}
	_, err = w.Write([]byte(text))
	err = errors.Join(err, w.Close())
	return b.String(), err
}
