package lsp

import (
	"encoding/json"
	"fmt"

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
	c, key, order, pair := classHost, "", "0", ""
	switch {
	case m.Method == "" && dir == ahptest.Recv:
		asked := f.asked[string(m.ID)]
		delete(f.asked, string(m.ID))
		switch asked.Method {
		case "ping":
			return
		case "resourceRead":
			c, key, order = classHostRead, string(asked.Params), "1"
		case "invokeChangesetOperation": // what happens meanwhile is in between
		default:
			pair = "request " + string(m.ID)
		}
		name, body := asked.Method+" =", m.Result
		if m.Error != nil {
			name, body = asked.Method+" !", m.Error
		}
		f.rec.paired(c, keyed(key, order), pair, f.rec.message(&renderer{}, prefix, name, body))
	case m.Method == "ping":
		f.asked[string(m.ID)] = m
	default:
		if dir == ahptest.Send && len(m.ID) > 0 {
			f.asked[string(m.ID)] = m
			if pair = "request " + string(m.ID); m.Method == "resourceRead" {
				c, key = classHostRead, string(m.Params)
			}
		}
		var p struct {
			ClientSeq int
			Origin    struct{ ClientSeq int }
		}
		_ = json.Unmarshal(m.Params, &p)
		if seq := max(p.ClientSeq, p.Origin.ClientSeq); seq > 0 {
			pair = fmt.Sprint("dispatch ", seq)
		}
		f.rec.paired(c, keyed(key, order), pair, f.rec.message(&renderer{}, prefix, m.Method, m.Params))
	}
}

func keyed(key, order string) string {
	if key == "" {
		return ""
	}
	return key + order
}
