package lsp

// progress shows that something is under way; the returned function ends it.
// Neither waits for the editor.
func (s *Server) progress(title string) (end func()) {
	if !s.client.Window.WorkDoneProgress {
		return func() {}
	}
	over := make(chan struct{})
	go s.guarded(func() {
		token := "ahp-" + newID()
		if err := s.call(s.ctx, "window/workDoneProgress/create", map[string]any{"token": token}, nil); err != nil {
			return
		}
		send := func(value map[string]any) {
			s.notify("$/progress", map[string]any{"token": token, "value": value})
		}
		send(map[string]any{"kind": "begin", "title": title})
		select {
		case <-over:
		case <-s.ctx.Done():
		}
		send(map[string]any{"kind": "end"})
	})
	return func() { close(over) }
}
