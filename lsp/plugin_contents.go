package lsp

import (
	"context"
	"fmt"

	"github.com/sourcegraph/jsonrpc2"

	"ahp-lsp/bridge/ahp"
)

// codeRequestFailed answers a valid request that could not be carried out (LSP,
// ErrorCodes).
const codeRequestFailed = -32803

// contentsView is both sides of a file's change: nil where the file does not
// exist. They are what the changeset says, whatever the buffer and the disk
// hold.
type contentsView struct {
	Channel string  `json:"channel"`
	Label   string  `json:"label"`
	Before  *string `json:"before"`
	After   *string `json:"after"`
}

// pluginContents is ahp/contents {uri, channel?} → contentsView|null, for
// plugins that show a whole file side by side, open or not. Without a channel
// it is about the changeset whose hunks are shown.
func (s *Server) pluginContents(c *call) (any, error) {
	var p struct {
		URI     string `json:"uri"`
		Channel string `json:"channel"`
	}
	if err := c.decode(&p); err != nil {
		return nil, err
	}
	f := s.files[ahp.CanonicalURI(p.URI)]
	if f == nil {
		return nil, nil
	}
	found := f.primary()
	if p.Channel != "" {
		found = nil
		for _, ch := range f.changes {
			if ch.view.Channel == p.Channel {
				found = ch
			}
		}
	}
	if found == nil {
		return nil, nil
	}
	v := contentsView{Channel: found.view.Channel, Label: s.changesetName(found.view)}
	host, entry, name := s.host, found.entry, baseName(f.uri)
	return nil, later{func(ctx context.Context) (any, error) {
		for _, side := range []struct {
			from *ahp.FileSide
			to   **string
		}{{entry.Before, &v.Before}, {entry.After, &v.After}} {
			text, err := readSide(ctx, host, side.from)
			if err != nil {
				return nil, &jsonrpc2.Error{
					Code:    codeRequestFailed,
					Message: fmt.Sprintf("the change of %s cannot be shown: %v", name, err),
				}
			}
			if text != nil {
				whole := text.String()
				*side.to = &whole
			}
		}
		return v, nil
	}}
}
