package session

import (
	"encoding/base64"
	"strings"

	"ahp-lsp/bridge/ahp"
)

// Names are what the session and its channels are called; they never change.
type Names struct {
	Session, Chat, Annotations string // the channels' URIs
	Root                       string // the work tree's folder, as a URI
	Dir                        string // and as a path
	id                         string // of the work tree
}

// sessionSchemes are the schemes of a session's URI that are understood, the one
// that is used first: the provider's name, from which VS Code knows the provider.
// Earlier versions used the other.
var sessionSchemes = []string{Provider, "ahp-session"}

const chatScheme = "ahp-chat"

// NewNames names the session of a work tree. root is its folder as a URI, dir as a
// path.
func NewNames(id, root, dir string) Names {
	session := sessionSchemes[0] + ":/" + id
	return Names{Session: session, Chat: chatScheme + ":/" + id, Annotations: session + "/annotations", Root: root, Dir: dir, id: id}
}

// Patchset is the URI of a proposal's changeset.
func (n Names) Patchset(id string) string { return n.Session + "/changeset/patchset/" + id }

// Resolve is the URI that the host has for a channel which a client may spell in
// another way: the session with another scheme, its channels below it, and its
// chat as ahp-chat://<anything>/<base64url of the session's URI>, as VS Code makes
// it up. Other URIs stay as they are.
func (n Names) Resolve(uri string) string {
	for _, scheme := range sessionSchemes {
		if rest, ok := strings.CutPrefix(uri, scheme+":/"+n.id); ok && (rest == "" || rest[0] == '/') {
			return n.Session + rest
		}
	}
	rest, ok := strings.CutPrefix(uri, chatScheme+"://")
	if !ok {
		return uri
	}
	_, encoded, _ := strings.Cut(rest, "/")
	session, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(encoded, "="))
	if err != nil || n.Resolve(string(session)) != n.Session {
		return uri
	}
	return n.Chat
}

// withOrigin returns an annotation whose origin names this session and its chat as
// the host does: a itself if it does so.
func (n Names) withOrigin(a *ahp.Annotation) *ahp.Annotation {
	if a.Origin == nil {
		return a
	}
	o := *a.Origin
	o.Session, o.Chat = n.Resolve(o.Session), n.Resolve(o.Chat)
	if o == *a.Origin {
		return a
	}
	c := a.Clone()
	c.Origin = &o
	return c
}
