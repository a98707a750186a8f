package lsp

import (
	"encoding/json"

	"ahp-lsp/internal/ahptest"
)

// frameRecorder writes what the host and the Server say to each other.
type frameRecorder struct {
	rec   *recorder
	asked map[string]message // by id: requests of the Server's
}

func newFrameRecorder(rec *recorder) *frameRecorder {
	return &frameRecorder{rec, map[string]message{}}
}

// frame runs with the host's mutex held.
func (f *frameRecorder) frame(dir string, frame []byte) {
	prefix := "host→ "
	if dir == ahptest.Send {
		prefix = "→host "
	}
	var m message
	if err := json.Unmarshal(frame, &m); err != nil {
		f.rec.add(classHost, "", prefix+string(frame))
		return
	}
	c, key, order := classHost, "", "0"
	switch {
	case m.Method == "" && dir == ahptest.Recv:
		asked := f.asked[string(m.ID)]
		delete(f.asked, string(m.ID))
		if asked.Method == "ping" {
			return
		}
		if asked.Method == "resourceRead" {
			c, key, order = classHostRead, string(asked.Params), "1"
		}
		if m.Error != nil {
			f.rec.add(c, keyed(key, order), f.rec.message(&renderer{}, prefix, asked.Method+" !", m.Error))
			return
		}
		f.rec.add(c, keyed(key, order), f.rec.message(&renderer{}, prefix, asked.Method+" =", m.Result))
	case m.Method == "ping":
		f.asked[string(m.ID)] = m
	default:
		if dir == ahptest.Send && len(m.ID) > 0 {
			f.asked[string(m.ID)] = m
			if m.Method == "resourceRead" {
				c, key = classHostRead, string(m.Params)
			}
		}
		f.rec.add(c, keyed(key, order), f.rec.message(&renderer{}, prefix, m.Method, m.Params))
	}
}

func keyed(key, order string) string {
	if key == "" {
		return ""
	}
	return key + order
}
