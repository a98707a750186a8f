package lsp

import (
	"context"
	"time"

	"ahp-lsp/lsp/command"
	"ahp-lsp/lsp/workspace"
)

// carryOut begins to do what the workspace wants done. Nothing of it waits: what
// takes time runs in a goroutine of its own, and its outcome comes as an event.
func (s *Server) carryOut(effects []workspace.Effect) {
	for _, e := range effects {
		switch e := e.(type) {
		case workspace.ReadDisk:
			s.readDisk(e.File)
		case workspace.LoadChange:
			s.loadChange(e)
		case workspace.ReadTurn:
			s.readTurn(e)
		case workspace.FindOrigins:
			s.findOrigins(e)
		case workspace.ReadAnchors:
			s.readAnchors(e.Session)
		case workspace.WriteAnchors:
			s.writeAnchors(e)
		case workspace.ReadKept:
			s.readKept(e.Scope)
		case workspace.WriteKept:
			s.writeKept(e.Changes)
		case workspace.WaitForTurns:
			s.after(turnPatience, workspace.TurnsOverdue(e))
		case workspace.SendMove:
			s.sendMove(e.Move)
		}
	}
}

// turnPatience is how long comments wait for the host to say what a turn left
// before they are shown by the text on disk.
const turnPatience = 5 * time.Second

// after applies an event later.
func (s *Server) after(d time.Duration, e workspace.Event) {
	time.AfterFunc(d, func() {
		if s.ctx.Err() == nil {
			s.loop.post(func() { s.apply(e) })
		}
	})
}

// sendMove tells the host where a comment is that was made on text which is saved
// now.
func (s *Server) sendMove(m workspace.Move) {
	host := s.commandHost()
	if host == nil {
		return
	}
	if err := command.SendMove(host, m); err != nil {
		s.cfg.Log.Infof("the range of %s is left as it is: %v", m.Thread.Key().ID, err)
		return
	}
	s.apply(workspace.ThreadMoved{Move: m})
}

// outcome is what slow work found, or why it could not.
type outcome[T any] struct {
	value T
	err   error
}

// try is background for work that can fail.
func try[T any](s *Server, work func(context.Context) (T, error), take func(T, error)) {
	background(s, func(ctx context.Context) (o outcome[T]) {
		o.value, o.err = work(ctx)
		return o
	}, func(o outcome[T]) { take(o.value, o.err) })
}
