package lsp

import "sync"

// progress shows that something is under way; the returned function ends it.
// Neither waits for the editor: what is over before the editor is ready for it
// is not shown.
func (s *Server) progress(title string) (end func()) {
	if !s.client.Window.WorkDoneProgress {
		return func() {}
	}
	token := "ahp-" + newID()
	send := func(value map[string]any) {
		s.notify("$/progress", map[string]any{"token": token, "value": value})
	}
	var mu sync.Mutex
	var begun, over bool
	go s.guarded(func() {
		if err := s.call(s.ctx, "window/workDoneProgress/create", map[string]any{"token": token}, nil); err != nil {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if begun = !over; begun {
			send(map[string]any{"kind": "begin", "title": title})
		}
	})
	return func() {
		mu.Lock()
		defer mu.Unlock()
		if over = true; begun {
			send(map[string]any{"kind": "end"})
		}
	}
}
