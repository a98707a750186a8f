package lsp

import (
	"context"

	"ahp-lsp/bridge/ahp"
)

// A host refuses a target with a conflict when its file has been written since
// the host told what is in it: right after another operation, or while an agent
// is at work. The user sees neither. What is meant is known by the buffer, so
// a range is worked out anew once the host has told what the file is like now, and
// sent once more: the lines that the user saw, or none. A whole file is another
// matter: what has been written to it since nobody has seen, so its refusal stands.

// aimAgain waits for the host's word on the file and works the target out anew.
// ok is false if none comes in time, or if the buffer is not the one that the
// user pointed into any more. Not in the loop.
func (s *Server) aimAgain(ctx context.Context, p operationArgs, prep prepared) (again prepared, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, loadingTimeout)
	defer cancel()
	v, err := s.inLoop(ctx, func() (any, error) {
		aim := func() (any, error) {
			if prep.file.text() != prep.text {
				return nil, errBufferChanged
			}
			next, err := s.prepare(p)
			if err == nil {
				err = next.aim(s, p)
			}
			return next, err
		}
		if prep.change.entry != prep.entry {
			return s.afterLoading(prep.file, loadingTimeout, aim)
		}
		told := make(chan struct{})
		prep.change.told = append(prep.change.told, told)
		return nil, later{func(ctx context.Context) (any, error) {
			select {
			case <-told:
			case <-ctx.Done():
				return nil, ctx.Err()
			}
			return s.inLoop(ctx, func() (any, error) { return s.afterLoading(prep.file, loadingTimeout, aim) })
		}}
	})
	again, ok = v.(prepared)
	return again, ok && err == nil
}

// tell lets those go on who wait for the host's word on the file.
func (c *change) tell() {
	for _, told := range c.told {
		close(told)
	}
	c.told = nil
}

// becomes takes what the changeset says about the file now.
func (c *change) becomes(entry *ahp.ChangesetFile) {
	c.entry = entry
	c.tell()
}
