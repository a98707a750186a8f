package lsp

import (
	"context"
	"fmt"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/bridge/remote"
	"ahp-lsp/lsp/store"
	"ahp-lsp/lsp/workspace"
	"ahp-lsp/mapping"
)

// What the workspace wants stored, and what was stored before.

func (s *Server) readAnchors(session string) {
	type anchors struct {
		workspace.AnchorsRead
		damage *store.Damaged
	}
	try(s, func(ctx context.Context) (a anchors, err error) {
		records, texts, err := s.store.Anchors(ctx, session)
		a.damage, err = store.Damage(err)
		a.Anchors, a.Texts = map[string]workspace.StoredAnchor{}, map[string]*mapping.Text{}
		for name, text := range texts {
			a.Texts[name] = mapping.NewText(text)
		}
		for id, r := range records {
			a.Anchors[id] = workspace.StoredAnchor{Text: r.Text, Range: fromStored(r.Range), Start: r.Start, End: r.End}
		}
		return a, err
	}, func(a anchors, err error) {
		s.tellDamage(a.damage)
		if err != nil {
			s.cfg.Log.Warningf("what comments were about is not known: %v", err)
		}
		a.Session = session
		s.apply(a.AnchorsRead)
	})
}

func (s *Server) writeAnchors(e workspace.WriteAnchors) {
	background(s, func(ctx context.Context) error {
		set, texts := map[string]store.Anchor{}, map[string]string{}
		for id, a := range e.Set {
			set[id] = store.Anchor{Text: a.Text, Range: toStored(a.Range), Start: a.Start, End: a.End}
		}
		for name, text := range e.Texts {
			texts[name] = text.String()
		}
		return s.store.SaveAnchors(ctx, e.Session, set, e.Forget, texts)
	}, func(err error) {
		damage, err := store.Damage(err)
		s.tellDamage(damage)
		if err != nil {
			s.cfg.Log.Warningf("what comments are about is not kept: %v", err)
		}
		s.apply(workspace.AnchorsWritten{Session: e.Session})
	})
}

func (s *Server) readKept(scope string) {
	try(s, func(ctx context.Context) (map[string][]string, error) { return s.store.Kept(ctx, scope) }, func(files map[string][]string, err error) {
		damage, err := store.Damage(err)
		s.tellDamage(damage)
		if err != nil {
			s.cfg.Log.Warningf("kept hunks are not known: %v", err)
			return
		}
		s.apply(workspace.KeptRead{Scope: scope, Files: files})
	})
}

func (s *Server) writeKept(changes workspace.KeptScopes) {
	type failure struct {
		damage *store.Damaged
		err    error
	}
	background(s, func(ctx context.Context) (f failure) {
		for scope, files := range changes {
			damage, err := store.Damage(s.store.Keep(ctx, scope, files))
			if damage != nil {
				f.damage = damage
			}
			if err != nil {
				f.err = err
			}
		}
		return f
	}, func(f failure) {
		s.tellDamage(f.damage)
		if f.err != nil {
			s.editor.tell(remote.NoticeWarning, fmt.Sprintf("which hunks are kept could not be saved: %v", f.err))
		}
		s.apply(workspace.KeptWritten{})
	})
}

// tellDamage tells the user that a record could not be used.
func (s *Server) tellDamage(d *store.Damaged) {
	if d != nil {
		s.logDamage(d)
		s.editor.tell(remote.NoticeWarning, d.Error())
	}
}

func (s *Server) logDamage(d *store.Damaged) {
	if d != nil {
		s.cfg.Log.Warningf("%v", d)
	}
}

func toStored(r ahp.Range) store.Range {
	return store.Range{StartLine: r.Start.Line, StartChar: r.Start.Character, EndLine: r.End.Line, EndChar: r.End.Character}
}

func fromStored(r store.Range) ahp.Range {
	return ahp.Range{
		Start: ahp.Position{Line: r.StartLine, Character: r.StartChar},
		End:   ahp.Position{Line: r.EndLine, Character: r.EndChar},
	}
}
