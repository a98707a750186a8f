package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A module is one that is linked into the program.
type module struct {
	Path, Version string
	Dir           string // where its sources are
}

// mainPackage is what is built.
const mainPackage = "./cmd/ahp-lsp"

// linked lists the modules of others that are linked on any of these platforms.
func (r root) linked(ctx context.Context, platforms []platform) ([]module, error) {
	all := map[string]module{}
	for _, p := range platforms {
		out, err := r.output(ctx, p.env(), "go", "list", "-deps", "-json=Module", mainPackage)
		if err != nil {
			return nil, err
		}
		for d := json.NewDecoder(strings.NewReader(out)); ; {
			var pkg struct {
				Module *struct {
					module
					Main    bool
					Replace *module
				}
			}
			if err := d.Decode(&pkg); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				return nil, fmt.Errorf("read what go list says: %w", err)
			}
			if m := pkg.Module; m != nil && !m.Main {
				if m.Replace != nil {
					return nil, fmt.Errorf("%s is replaced in go.mod: nobody else could build that", m.Path)
				}
				all[m.Path] = m.module
			}
		}
	}
	return slices.SortedFunc(maps.Values(all), func(a, b module) int { return strings.Compare(a.Path, b.Path) }), nil
}

// A licence is the text of a file, and what it is called by SPDX.
type licence struct {
	file string
	id   string // "" for a notice, which is no licence
	text string
}

var licenceFile = regexp.MustCompile(`(?i)^(licen[cs]es?|copying|notice|patents)([.-].*)?$`)

// licences are those of a module. It is an error if there are none, or one is not known.
func (m module) licences() ([]licence, error) {
	entries, err := os.ReadDir(m.Dir)
	if err != nil {
		return nil, fmt.Errorf("the sources of %s are not here: %w\nhint: go mod download", m.Path, err)
	}
	var found []licence
	known := false
	for _, e := range entries {
		if !e.Type().IsRegular() || !licenceFile.MatchString(e.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(m.Dir, e.Name()))
		if err != nil {
			return nil, err
		}
		l := licence{file: e.Name(), id: identify(string(text)), text: strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n"))}
		known = known || l.id != ""
		found = append(found, l)
	}
	if !known {
		return nil, fmt.Errorf("%s %s has no licence that is known here", m.Path, m.Version)
	}
	return found, nil
}

// spdx are sentences that only one licence has, after blanks are made one.
var spdx = []struct{ id, sentence string }{
	{"Apache-2.0", "Apache License Version 2.0, January 2004"},
	{"MPL-2.0", "Mozilla Public License Version 2.0"},
	{"ISC", "Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted"},
	{"ISC", "Permission to use, copy, modify, and distribute this software for any purpose with or without fee is hereby granted"},
	{"MIT", "Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files"},
}

var blanks = regexp.MustCompile(`\s+`)

// identify names a licence; "" if it is not known.
func identify(text string) string {
	text = blanks.ReplaceAllString(text, " ")
	for _, l := range spdx {
		if strings.Contains(text, l.sentence) {
			return l.id
		}
	}
	if !strings.Contains(text, "Redistribution and use in source and binary forms, with or without modification, are permitted provided that the following conditions are met") {
		return ""
	}
	if strings.Contains(text, "to endorse or promote products derived from") {
		return "BSD-3-Clause"
	}
	return "BSD-2-Clause"
}

// goLicence is that of Go's standard library and runtime, which are in every program.
func (r root) goLicence(ctx context.Context) (licence, error) {
	dir, err := r.output(ctx, nil, "go", "env", "GOROOT")
	if err != nil {
		return licence{}, err
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(dir), "LICENSE"))
	if err != nil {
		return licence{}, err
	}
	return licence{file: "LICENSE", id: identify(string(text)), text: strings.TrimSpace(string(text))}, nil
}

// noticesFile has the licences of everything that is linked.
const noticesFile = "packaging/THIRD-PARTY.md"

// notices is the text of that file.
func (r root) notices(ctx context.Context) (string, error) {
	modules, err := r.linked(ctx, platforms)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("# Software in ahp-lsp\n\nWhat is linked into the program `ahp-lsp` on one platform or another, and its licences. " +
		"Written by\n`go run ./internal/release modules`.\n")
	add := func(title string, licences []licence) {
		fmt.Fprintf(&b, "\n## %s\n", title)
		for _, l := range licences {
			name := l.file
			if l.id != "" {
				name += " (" + l.id + ")"
			}
			fmt.Fprintf(&b, "\n%s:\n\n", name)
			for line := range strings.SplitSeq(l.text, "\n") {
				b.WriteString(strings.TrimRight("    "+line, " \t") + "\n")
			}
		}
	}
	standard, err := r.goLicence(ctx)
	if err != nil {
		return "", err
	}
	add("The Go standard library", []licence{standard})
	for _, m := range modules {
		licences, err := m.licences()
		if err != nil {
			return "", err
		}
		add(m.Path+" "+m.Version, licences)
	}
	return b.String(), nil
}
