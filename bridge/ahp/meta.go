package ahp

import (
	"bytes"
	"encoding/json"
)

// SessionNotes is what a session's _meta says to this program; hosts other than
// the embedded one say nothing. Members of another type than expected are left
// empty.
type SessionNotes struct {
	// Notice is something the user has to know: _meta.notice.
	Notice string
	// Baseline is the kind of the changeset that the host would show hunks from:
	// _meta["ahp-lsp"].baseline. A host whose session never ends, for example,
	// knows better than to show everything since its beginning.
	Baseline string
	// Embedded: the host is the embedded one, or one that knows its extensions:
	// there is a _meta["ahp-lsp"].
	Embedded bool
}

// Notes reads the session's _meta.
func (s *Session) Notes() (n SessionNotes) {
	var meta map[string]json.RawMessage
	var own struct {
		Baseline json.RawMessage `json:"baseline"`
	}
	if json.Unmarshal(s.Meta, &meta) != nil {
		return n
	}
	_ = json.Unmarshal(meta["notice"], &n.Notice)
	n.Embedded = json.Unmarshal(meta["ahp-lsp"], &own) == nil
	_ = json.Unmarshal(own.Baseline, &n.Baseline)
	return n
}

// NoteSaved is a notification to a host whose session is Embedded, with
// SavedParams: a person's editor wrote these files, so that the host does not
// take it for an agent's work.
const NoteSaved = "ahp-lsp/saved"

// SavedParams are the params of NoteSaved.
type SavedParams struct {
	Channel   string   `json:"channel"` // the session's URI
	Resources []string `json:"resources"`
}

// OtherBranch reports whether the embedded host says that the annotation was
// made on another branch, on another version of its file, and on which: a name,
// or "" for a commit without a branch.
func (a *Annotation) OtherBranch() (branch string, other bool) {
	if !bytes.Contains(a.Meta, []byte(`"otherBranch"`)) {
		return "", false // nearly always
	}
	var m struct {
		Own struct {
			Branch      string `json:"branch"`
			OtherBranch bool   `json:"otherBranch"`
		} `json:"ahp-lsp"`
	}
	_ = json.Unmarshal(a.Meta, &m)
	return m.Own.Branch, m.Own.OtherBranch
}
