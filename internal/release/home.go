package main

import (
	"bytes"
	"errors"
	"fmt"
	"net/mail"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"ahp-lsp/internal/atomicfile"
)

// Home is where the project lives, as project.toml says. What is "" is not set.
type Home struct {
	Module     string `toml:"module"`     // path of the Go module
	Repository string `toml:"repository"` // its address
	Issues     string `toml:"issues"`     // where problems are reported
	Maintainer string `toml:"maintainer"` // NAME <MAIL ADDRESS>
	Publisher  string `toml:"publisher"`  // of the VS Code extension
}

// homeFile is the one place that names the home.
const homeFile = "project.toml"

func (r root) path(elem ...string) string {
	return filepath.Join(append([]string{string(r)}, elem...)...)
}

// home reads project.toml.
func (r root) home() (Home, error) {
	data, err := os.ReadFile(r.path(homeFile))
	if err != nil {
		return Home{}, fmt.Errorf("read the project's home: %w\nhint: run this in the root of the repository", err)
	}
	var h Home
	if err := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(&h); err != nil {
		return Home{}, fmt.Errorf("read %s: %w", homeFile, err)
	}
	return h, nil
}

// fields are the members of project.toml in its order, with their names there and as flags.
func (h *Home) fields() []struct {
	name  string
	value *string
} {
	return []struct {
		name  string
		value *string
	}{
		{"module", &h.Module}, {"repository", &h.Repository}, {"issues", &h.Issues},
		{"maintainer", &h.Maintainer}, {"publisher", &h.Publisher},
	}
}

// saveHome writes project.toml, and keeps its comments.
func (r root) saveHome(h Home) error {
	text, err := os.ReadFile(r.path(homeFile))
	if err != nil {
		return err
	}
	for _, f := range h.fields() {
		line := regexp.MustCompile(`(?m)^` + f.name + ` = .*$`)
		if !line.Match(text) {
			return fmt.Errorf("%s has no line for %s", homeFile, f.name)
		}
		text = line.ReplaceAllLiteral(text, fmt.Appendf(nil, "%s = %q", f.name, *f.value))
	}
	return atomicfile.Replace(r.path(homeFile), text, 0o644)
}

var (
	modulePattern    = regexp.MustCompile(`^[A-Za-z0-9.~_-]+(/[A-Za-z0-9.~_-]+)*$`)
	publisherPattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]*$`)
)

// check says what is wrong with a home. Parts that are not set are not.
func (h Home) check() error {
	var wrong []error
	bad := func(name, value, want string) {
		wrong = append(wrong, fmt.Errorf("%s %q: it has to be %s", name, value, want))
	}
	if !modulePattern.MatchString(h.Module) {
		bad("module", h.Module, "a path such as example.com/ahp-lsp")
	}
	for _, f := range h.fields()[1:3] {
		if u, err := url.Parse(*f.value); *f.value != "" && (err != nil || u.Scheme != "https" || u.Host == "" || strings.ContainsAny(*f.value, "\"'\\ <>")) {
			bad(f.name, *f.value, "an address such as https://example.com/ahp-lsp")
		}
	}
	if a, err := mail.ParseAddress(h.Maintainer); h.Maintainer != "" && (err != nil || a.Name == "" || strings.ContainsAny(h.Maintainer, "\"'\\\n")) {
		bad("maintainer", h.Maintainer, "NAME <MAIL ADDRESS>")
	}
	if !publisherPattern.MatchString(h.Publisher) {
		bad("publisher", h.Publisher, "letters, digits and hyphens")
	}
	return errors.Join(wrong...)
}

// complete reports an error that names what is not set yet.
func (h Home) complete() error {
	var missing []string
	if first, _, _ := strings.Cut(h.Module, "/"); !strings.Contains(first, ".") {
		missing = append(missing, "module")
	}
	for _, f := range h.fields()[1:] {
		if *f.value == "" {
			missing = append(missing, f.name)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	var flags strings.Builder
	for _, name := range missing {
		fmt.Fprintf(&flags, " --%s …", name)
	}
	return fmt.Errorf("the project has no home yet: %s does not say %s\nhint: go run ./internal/release set-home%s", homeFile, strings.Join(missing, ", "), &flags)
}

// extension is the name of the VS Code extension in a marketplace.
func (h Home) extension() string { return h.Publisher + ".ahp-lsp" }
