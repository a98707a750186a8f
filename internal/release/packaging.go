package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"
)

type packagingCommand struct {
	Dist string `help:"Folder of the release's archives, as build makes them." type:"path" default:"dist"`
	Out  string `help:"Folder to write to." type:"path" default:"dist/packaging"`
}

// Run writes the descriptions of packages for others' collections, with this home and the
// sums of these archives in them.
func (c *packagingCommand) Run(r root) error {
	h, err := r.home()
	if err == nil {
		err = h.complete()
	}
	if err == nil {
		err = r.describe(h, c.Dist, c.Out)
	}
	if err != nil {
		return fmt.Errorf("packaging: %w", err)
	}
	return nil
}

// A description is what templates in packaging know.
type description struct {
	Home
	Version string
	sums    map[string]string // by the name of an archive
}

// Mason has words of its own for platforms.
func (description) Mason() map[string]string {
	return map[string]string{
		"darwin_arm64": "darwin_arm64", "darwin_x64": "darwin_amd64", "linux_arm64": "linux_arm64",
		"linux_armv7l": "linux_armv7", "linux_x64": "linux_amd64", "win_arm64": "windows_arm64", "win_x64": "windows_amd64",
	}
}

// Arch Linux has, too.
func (description) Arch() map[string]string {
	return map[string]string{"x86_64": "linux_amd64", "aarch64": "linux_arm64", "armv7h": "linux_armv7", "riscv64": "linux_riscv64"}
}

// ArchVersion is the version without the hyphen that pacman gives a meaning.
func (d description) ArchVersion() string { return strings.ReplaceAll(d.Version, "-", "_") }

// NumberVersion is the version's three numbers.
func (d description) NumberVersion() string {
	number, _, _ := strings.Cut(d.Version, "-")
	return number
}

func (d description) folder(platform string) string { return "ahp-lsp_" + d.Version + "_" + platform }

func (d description) archive(platform string) string {
	if strings.HasPrefix(platform, "windows") {
		return d.folder(platform) + ".zip"
	}
	return d.folder(platform) + ".tar.gz"
}

// url is where releases of most forges are.
func (d description) url(platform string) string {
	return d.Repository + "/releases/download/v" + d.Version + "/" + d.archive(platform)
}

func (d description) sum(platform string) (string, error) {
	if sum := d.sums[d.archive(platform)]; sum != "" {
		return sum, nil
	}
	return "", fmt.Errorf("there is no sum of %s\nhint: go run ./internal/release build", d.archive(platform))
}

func (d description) program(platform string) string {
	if strings.HasPrefix(platform, "windows") {
		return "ahp-lsp.exe"
	}
	return "ahp-lsp"
}

var checksumsName = regexp.MustCompile(`^ahp-lsp_(.+)_checksums\.txt$`)

// readSums reads the list of sums that a build leaves.
func readSums(dist string) (version string, sums map[string]string, err error) {
	entries, err := os.ReadDir(dist)
	if err != nil {
		return "", nil, fmt.Errorf("%w\nhint: go run ./internal/release build", err)
	}
	for _, e := range entries {
		m := checksumsName.FindStringSubmatch(e.Name())
		if m == nil {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dist, e.Name()))
		if err != nil {
			return "", nil, err
		}
		sums = map[string]string{}
		for line := range strings.Lines(string(text)) {
			if sum, name, ok := strings.Cut(strings.TrimSpace(line), "  "); ok {
				sums[name] = sum
			}
		}
		return m[1], sums, nil
	}
	return "", nil, fmt.Errorf("%s has no list of checksums\nhint: go run ./internal/release build", dist)
}

// templateSuffix marks a file of packaging in which the home or the version is missing.
const templateSuffix = ".tmpl"

// describe writes every description to a folder.
func (r root) describe(h Home, dist, out string) error {
	version, sums, err := readSums(dist)
	if err != nil {
		return err
	}
	d := description{Home: h, Version: version, sums: sums}
	source := r.path("packaging")
	return filepath.WalkDir(source, func(file string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(source, file)
		if err != nil {
			return err
		}
		if path.Dir(filepath.ToSlash(name)) == "." { // what is about the folder itself
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if name, found := strings.CutSuffix(name, templateSuffix); found {
			if text, err = d.render(name, string(text)); err != nil {
				return err
			}
			return write(filepath.Join(out, name), text)
		}
		return write(filepath.Join(out, name), text)
	})
}

// render fills a template in. Its marks are not those of the many templates that other
// programs fill in.
func (d description) render(name, text string) ([]byte, error) {
	t, err := template.New(name).Delims("<%", "%>").Option("missingkey=error").Funcs(template.FuncMap{
		"archive": d.archive, "folder": d.folder, "program": d.program, "sum": d.sum, "url": d.url,
	}).Parse(text)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	err = t.Execute(&b, d)
	if inner := (template.ExecError{}); errors.As(err, &inner) {
		err = fmt.Errorf("%s: %w", name, errors.Unwrap(inner.Err))
	}
	return b.Bytes(), err
}

func write(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}
