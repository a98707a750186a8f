package main

import (
	"bytes"
	"cmp"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// Parts of CycloneDX 1.5, a format for lists of what is in a program.
type (
	bom struct {
		Format       string       `json:"bomFormat"`
		SpecVersion  string       `json:"specVersion"`
		SerialNumber string       `json:"serialNumber"`
		Version      int          `json:"version"`
		Metadata     bomMetadata  `json:"metadata"`
		Components   []component  `json:"components"`
		Dependencies []dependency `json:"dependencies"`
	}
	bomMetadata struct {
		Component  component  `json:"component"`
		Properties []property `json:"properties"`
	}
	component struct {
		Type       string             `json:"type"`
		Ref        string             `json:"bom-ref"`
		Name       string             `json:"name"`
		Version    string             `json:"version"`
		Licences   []componentLicence `json:"licenses,omitempty"`
		PURL       string             `json:"purl,omitempty"`
		Properties []property         `json:"properties,omitempty"`
	}
	componentLicence struct {
		Licence struct {
			ID string `json:"id"`
		} `json:"license"`
	}
	property struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	dependency struct {
		Ref       string   `json:"ref"`
		DependsOn []string `json:"dependsOn"`
	}
)

func licencesOf(ids ...string) (all []componentLicence) {
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		var l componentLicence
		l.Licence.ID = id
		all = append(all, l)
	}
	return all
}

// sbom lists what is in a program that the Go tool built. What it says comes from the
// program itself, apart from the licences, which are by the path of a module. The
// same program gives the same list.
func sbom(program []byte, version string, ids map[string][]string) ([]byte, error) {
	info, err := buildinfo.Read(bytes.NewReader(program))
	if err != nil {
		return nil, fmt.Errorf("read what the program consists of: %w", err)
	}
	purl := func(path, version string) string {
		return "pkg:golang/" + strings.ToLower(path) + "@" + strings.ReplaceAll(version, "+", "%2B")
	}
	self := component{Type: "application", Ref: "ahp-lsp", Name: "ahp-lsp", Version: version, Licences: licencesOf("MIT")}
	standard := component{
		Type: "library", Ref: "std", Name: "std", Version: strings.TrimPrefix(info.GoVersion, "go"),
		Licences: licencesOf("BSD-3-Clause"), PURL: purl("std", strings.TrimPrefix(info.GoVersion, "go")),
	}
	b := bom{
		Format: "CycloneDX", SpecVersion: "1.5", Version: 1, Metadata: bomMetadata{Component: self}, Components: []component{standard},
	}
	for _, s := range info.Settings {
		if strings.HasPrefix(s.Key, "GO") || strings.HasPrefix(s.Key, "CGO") || strings.HasPrefix(s.Key, "vcs") {
			b.Metadata.Properties = append(b.Metadata.Properties, property{"go:build:" + s.Key, s.Value})
		}
	}
	deps := slices.Clone(info.Deps)
	slices.SortFunc(deps, func(a, b *debug.Module) int { return cmp.Compare(a.Path, b.Path) })
	for _, m := range deps {
		licences := ids[m.Path]
		if len(licences) == 0 {
			return nil, fmt.Errorf("the licence of %s is not known", m.Path)
		}
		b.Components = append(b.Components, component{
			Type: "library", Ref: purl(m.Path, m.Version), Name: m.Path, Version: m.Version, Licences: licencesOf(licences...),
			PURL: purl(m.Path, m.Version), Properties: []property{{"go:sum", m.Sum}},
		})
	}
	depends := dependency{Ref: self.Ref}
	for _, c := range b.Components {
		depends.DependsOn = append(depends.DependsOn, c.Ref)
	}
	b.Dependencies = []dependency{depends}
	content, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	b.SerialNumber = "urn:uuid:" + uuid.NewSHA1(uuid.NameSpaceOID, content).String()
	text, err := json.MarshalIndent(b, "", "  ")
	return append(text, '\n'), err
}
