package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
)

type sbomCommand struct {
	Version string `help:"Version of the program." required:""`
	Folder  string `help:"Folder that the files are in." default:"."`
	Archive string `arg:"" help:"An archive with the program."`
	Out     string `arg:"" help:"The file to write."`
}

// Run writes what is in the program of an archive, as CycloneDX.
func (c *sbomCommand) Run(ctx context.Context, r root) error {
	if err := c.write(ctx, r); err != nil {
		return fmt.Errorf("sbom: %w", err)
	}
	return nil
}

func (c *sbomCommand) write(ctx context.Context, r root) error {
	data, err := os.ReadFile(filepath.Join(r.path(c.Folder), c.Archive))
	if err != nil {
		return err
	}
	files, err := unpack(c.Archive, data)
	if err != nil {
		return err
	}
	ids, err := r.licenceIDs(ctx)
	if err != nil {
		return err
	}
	for name, program := range files {
		if base := path.Base(name); base == "ahp-lsp" || base == "ahp-lsp.exe" {
			text, err := sbom(program, c.Version, ids)
			if err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(r.path(c.Folder), c.Out), text, 0o644)
		}
	}
	return fmt.Errorf("%s has no ahp-lsp in it", c.Archive)
}

// licenceIDs are what SPDX calls the licences of each module that is here.
func (r root) licenceIDs(ctx context.Context) (map[string][]string, error) {
	out, err := r.output(ctx, nil, "go", "list", "-m", "-json=Path,Version,Dir,Main", "all")
	if err != nil {
		return nil, err
	}
	ids := map[string][]string{}
	for d := json.NewDecoder(strings.NewReader(out)); ; {
		var m struct {
			module
			Main bool
		}
		if err := d.Decode(&m); errors.Is(err, io.EOF) {
			return ids, nil
		} else if err != nil {
			return nil, err
		}
		if m.Main || m.Dir == "" { // not needed for this program, and so not here
			continue
		}
		licences, err := m.licences()
		if err != nil {
			continue // reported for what is linked
		}
		for _, l := range licences {
			if l.id != "" {
				ids[m.Path] = append(ids[m.Path], l.id)
			}
		}
	}
}

// unpack reads a .tar.gz or .zip.
func unpack(name string, data []byte) (map[string][]byte, error) {
	files := map[string][]byte{}
	if strings.HasSuffix(name, ".zip") {
		z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return nil, err
		}
		for _, f := range z.File {
			in, err := f.Open()
			if err != nil {
				return nil, err
			}
			files[f.Name], err = io.ReadAll(in)
			if err := errors.Join(err, in.Close()); err != nil {
				return nil, err
			}
		}
		return files, nil
	}
	gz, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	for t := tar.NewReader(gz); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		if files[h.Name], err = io.ReadAll(t); err != nil {
			return nil, err
		}
	}
}
