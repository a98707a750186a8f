package lsp

import (
	"ahp-lsp/internal/printable"
	"sync"

	"github.com/google/uuid"
)

// progress shows that something is under way; the returned function ends it.
// Neither waits for the editor: what is over before the editor is ready for it
// is not shown.
func (e *editorConn) progress(title string) (end func()) {
	if !e.client.Window.WorkDoneProgress {
		return func() {}
	}
	token := "ahp-" + uuid.NewString()
	send := func(value map[string]any) {
		e.notify("$/progress", map[string]any{"token": token, "value": value})
	}
	var mu sync.Mutex
	var begun, over bool
	go func() {
		if err := e.call(e.ctx, "window/workDoneProgress/create", map[string]any{"token": token}, nil); err != nil {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if begun = !over; begun {
			send(map[string]any{"kind": "begin", "title": printable.Label(title)})
		}
	}()
	return func() {
		mu.Lock()
		defer mu.Unlock()
		if over = true; begun {
			send(map[string]any{"kind": "end"})
		}
	}
}
