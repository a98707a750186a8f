package store

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ahp-lsp/internal/githost/session"
	"ahp-lsp/internal/githost/wire"
)

// maxPatchset is the size limit of an imported file in bytes.
const maxPatchset = 64 << 20

// patchsetObject is a PatchSet in either generation's shape, and with the
// aliases that programs use.
type patchsetObject struct {
	ObjectID    string          `json:"object_id"`
	Run         json.RawMessage `json:"run"`
	Commit      string          `json:"commit"`
	Artifact    json.RawMessage `json:"artifact"`
	OldArtifact json.RawMessage `json:"diff_artifact"`
	Rationale   string          `json:"rationale"`
	ApplyStatus string          `json:"apply_status"`
	Sequence    int             `json:"sequence"`
	Diff        string          `json:"diff"`
	Patch       string          `json:"patch"`
}

// artifact is where a PatchSet's diff is: a file beside it, or inline.
type artifact struct {
	Store    string `json:"store"`
	Key      string `json:"key"`
	Inline   string `json:"inline"`
	Data     string `json:"data"`
	Content  string `json:"content"`
	Encoding string `json:"encoding"`
}

// readPatchSet reads a file that holds a diff or a PatchSet object.
func readPatchSet(file string) (*session.Patchset, error) {
	data, err := readUpTo(file, maxPatchset)
	if err != nil {
		return nil, err
	}
	p := &session.Patchset{Imported: time.Now().UTC(), Title: strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))}
	trimmed := bytes.TrimSpace(data)
	if !bytes.HasPrefix(trimmed, []byte("{")) {
		p.Diff = data
		return p, nil
	}
	var o patchsetObject
	if err := json.Unmarshal(trimmed, &o); err != nil {
		return nil, fmt.Errorf("it is neither a diff nor a PatchSet object: %w", err)
	}
	if s := strings.ToLower(o.ApplyStatus); s != "" && s != "proposed" {
		return nil, fmt.Errorf("its apply_status is %q; only a proposed one can be imported", o.ApplyStatus)
	}
	p.ID, p.Commit, p.Rationale, p.Sequence = o.ObjectID, o.Commit, o.Rationale, o.Sequence
	p.Run = nameOf(o.Run)
	p.Diff, err = o.diff(filepath.Dir(file))
	return p, err
}

// nameOf reads a reference that is a string, or an object with an id.
func nameOf(raw json.RawMessage) string {
	if s := wire.Text(raw); s != "" {
		return s
	}
	m := wire.Parse(raw)
	for _, key := range []string{"object_id", "id"} {
		if s := wire.Text(m[key]); s != "" {
			return s
		}
	}
	return ""
}

// diff is the text of the diff, inline or in a file of the folder.
func (o patchsetObject) diff(folder string) ([]byte, error) {
	raw := o.Artifact
	if len(raw) == 0 || string(raw) == "null" {
		raw = o.OldArtifact
	}
	var a artifact
	if s := wire.Text(raw); s != "" {
		a.Key = s
	} else if len(raw) > 0 {
		if err := json.Unmarshal(raw, &a); err != nil {
			return nil, fmt.Errorf("its artifact cannot be read: %w", err)
		}
	}
	for _, inline := range []string{o.Diff, o.Patch, a.Inline, a.Data, a.Content} {
		if inline == "" {
			continue
		}
		if a.Encoding == "base64" {
			return base64.StdEncoding.DecodeString(inline)
		}
		return []byte(inline), nil
	}
	if a.Key == "" {
		return nil, errors.New("it has no diff: neither inline nor as an artifact with a key")
	}
	// A key is a name, at times with the path that it has in its store: the
	// artifact lies in the same folder.
	name := filepath.Base(filepath.FromSlash(a.Key))
	if name == "." || name == ".." || name == string(filepath.Separator) {
		return nil, fmt.Errorf("its artifact's key %q names no file", a.Key)
	}
	return readUpTo(filepath.Join(folder, name), maxPatchset)
}

func readUpTo(name string, limit int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, fmt.Errorf("%s is larger than %d MiB", name, limit>>20)
	}
	return data, nil
}
