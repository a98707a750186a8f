package lsp

import (
	"context"
	"fmt"

	"ahp-lsp/bridge"
	"ahp-lsp/bridge/ahp"
	"ahp-lsp/mapping"
)

// A hunk that the user has looked at and wants can be kept: it loses its lens
// and is shown again only when the agent changes it again. What is kept is the
// hunk's text, wherever it moves; it is remembered per session.

// keptKey names a session's hunks across restarts. A session's URI is unique;
// its host's address is not kept in it, since the port changes with each start.
func keptKey(session string) string { return session }

// isKept reports whether a hunk of a change was kept.
func (s *Server) isKept(c *change, index int) bool {
	return s.kept.has(keptKey(c.view.Session), c.entry.URI(), c.content.Keys[index])
}

// keptCount is how many of a change's hunks are kept.
func (s *Server) keptCount(c *change) (kept, all int) {
	for i := range c.content.Keys {
		if s.isKept(c, i) {
			kept++
		}
	}
	return kept, len(c.content.Keys)
}

type keepArgs struct {
	rangeArgs
	Keep *bool `json:"keep,omitempty"` // absent: true
}

// hunkKeep is ahp.hunk.keep: every hunk on the range's lines.
func (s *Server) hunkKeep(args commandArgs) (any, error) {
	var p keepArgs
	if err := args.decode(&p); err != nil {
		return nil, err
	}
	return s.keep(p.URI, p.Keep == nil || *p.Keep, func(f *file, text *mapping.Text) (func(mapping.PlacedHunk) bool, error) {
		lines, err := s.linesOf(f, text, p.rangeArgs)
		return func(h mapping.PlacedHunk) bool { return h.Touches(lines) && (!h.Lines.Empty() || exactly(h, lines)) }, err
	})
}

type fileKeepArgs struct {
	URI  string `json:"uri"`
	Keep *bool  `json:"keep,omitempty"` // absent: true
}

// fileKeep is ahp.file.keep: every hunk of the file.
func (s *Server) fileKeep(args commandArgs) (any, error) {
	var p fileKeepArgs
	if err := args.decode(&p); err != nil {
		return nil, err
	}
	return s.keep(p.URI, p.Keep == nil || *p.Keep, func(*file, *mapping.Text) (func(mapping.PlacedHunk) bool, error) {
		return func(mapping.PlacedHunk) bool { return true }, nil
	})
}

// keep marks the hunks of a file that are meant, which tells by the buffer.
func (s *Server) keep(uri string, keep bool, which func(*file, *mapping.Text) (func(mapping.PlacedHunk) bool, error)) (any, error) {
	return s.withHunks(uri, func(f *file, c *change, text *mapping.Text) (any, error) {
		meant, err := which(f, text)
		if err != nil {
			return s.sorry("cannot keep the hunk: %v", err)
		}
		n := 0
		for _, h := range c.hunks(text) {
			if !meant(h) {
				continue
			}
			n++
			s.kept.set(keptKey(c.view.Session), c.entry.URI(), c.content.Keys[h.Index], keep)
		}
		if n == 0 {
			return s.sorry("there is no hunk on these lines")
		}
		s.touch(f)
		s.keepReviewFlag(f, c, keep)
		s.saveKept()
		kept, all := s.keptCount(c)
		return done(map[string]any{"kept": kept, "hunks": all}), nil
	})
}

// keepReviewFlag sets the host's reviewed flag when the last hunk of a file was
// kept, and takes it back when one was given up.
func (s *Server) keepReviewFlag(f *file, c *change, reviewed bool) {
	r := f.reviewed()
	if r == nil || r.reviewed == reviewed {
		return
	}
	if kept, all := s.keptCount(c); reviewed && kept < all {
		return
	}
	a, err := ahp.ReviewFiles(s.host.Version(), []string{r.id}, reviewed)
	if err == nil {
		err = s.host.Dispatch(r.channel, a)
	}
	if err != nil {
		s.log.Warningf("mark %s as reviewed: %v", f.uri, err)
	}
}

// saveKept writes what was kept or given up, one write at a time.
func (s *Server) saveKept() {
	if s.cfg.StateDir == "" || s.keptWriting {
		return
	}
	changed, dir := s.kept.take(), s.cfg.StateDir
	if len(changed) == 0 {
		return
	}
	s.keptWriting = true
	background(s, func(context.Context) error { return writeKept(dir, changed) }, func(err error) {
		s.keptWriting = false
		if err != nil {
			s.tell(bridge.NoticeWarning, fmt.Sprintf("which hunks are kept could not be saved: %v", err))
		}
		s.saveKept()
	})
}

// loadKept reads what was kept of a session before.
func (s *Server) loadKept(session string) {
	if s.cfg.StateDir == "" {
		return
	}
	dir, scope := s.cfg.StateDir, keptKey(session)
	type result struct {
		kept keptFile
		err  error
	}
	background(s, func(context.Context) (r result) {
		r.kept, r.err = readKept(dir, scope)
		return r
	}, func(r result) {
		if r.err != nil {
			s.log.Warningf("kept hunks are not known: %v", r.err)
			return
		}
		s.kept.add(r.kept)
		for _, f := range s.files {
			if f.doc != nil && len(f.changes) > 0 {
				s.touch(f)
			}
		}
	})
}

// keepActions offers to keep the hunks on the lines, and all of the file.
func (s *Server) keepActions(l *actionList, c *change, placed []mapping.PlacedHunk) {
	for _, h := range placed {
		where := s.rangeOf(c.file, c.file.text(), h.Span)
		if s.isKept(c, h.Index) {
			l.command("Un-keep hunk ("+h.Title()+")", "ahp.hunk.keep", keepArgs{where, ptr(false)})
		} else {
			l.command("Keep hunk ("+h.Title()+")", "ahp.hunk.keep", keepArgs{rangeArgs: where})
		}
	}
	if len(placed) == 0 {
		return
	}
	switch kept, all := s.keptCount(c); {
	case kept == all:
		l.command("Un-keep all hunks in file", "ahp.file.keep", fileKeepArgs{c.file.editorURI(), ptr(false)})
	case all > 1:
		l.command("Keep all hunks in file", "ahp.file.keep", fileKeepArgs{URI: c.file.editorURI()})
	}
}
