package lsp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Within a step, everything runs at once; what belongs together is in order,
// and what does not is put into one here: first what the script did, then the
// conversation with the host, then that with the editor. Messages that only say
// how things are now (diagnostics, refreshes, contents read) come last in their
// part, each once: how often they were sent on the way may differ. The editor's
// double checks that they are not sent without need.
type class int

const (
	classScript class = iota
	classHost
	classHostRead
	classEditorSetup // asked for at once, in any order
	classEditor
	classEditorState
	classAnswer
)

type entry struct {
	class class
	key   string // of the state that is told
	pair  string // the same for a message and its answer, which is put behind it
	line  string
}

type recorder struct {
	replace *strings.Replacer

	mu  sync.Mutex
	off bool
	// unordered: in the step under way, several things speak to the editor at
	// once, and their order is put into one here.
	unordered bool
	entries   []entry
	out       strings.Builder
	ids       map[string]string
}

func (rec *recorder) add(c class, key, line string) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if !rec.off {
		rec.entries = append(rec.entries, entry{class: c, key: key, line: line})
	}
}

// paired adds one half of a question and answer.
func (rec *recorder) paired(c class, key, pair, line string) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	if !rec.off {
		rec.entries = append(rec.entries, entry{c, key, pair, line})
	}
}

// answersBehind puts answers behind what they answer: how many questions are
// under way at once is a matter of chance.
func answersBehind(entries []entry) (out []entry) {
	done := map[int]bool{}
	for i, e := range entries {
		if done[i] {
			continue
		}
		out = append(out, e)
		for j := i + 1; e.pair != "" && j < len(entries); j++ {
			if entries[j].pair == e.pair && !done[j] {
				out = append(out, entries[j])
				done[j] = true
			}
		}
	}
	return out
}

// message renders one JSON-RPC message behind its prefix.
func (rec *recorder) message(r *renderer, prefix, name string, v json.RawMessage) string {
	if len(v) == 0 {
		return prefix + name
	}
	head := prefix + name + " "
	return head + r.write(parseOrdered([]byte(steady(rec.replace.Replace(string(v))))), 0, len([]rune(head)))
}

// steadyScratch is what steady adds to the name of a folder.
var steadyScratch = regexp.MustCompile(`/scratch/0+`)

// steady gives what is random the same length every time: how lines are broken depends on it.
func steady(body string) string {
	body = scratchPattern.ReplaceAllStringFunc(body, func(dir string) string {
		return fmt.Sprintf("/scratch/%010s/", strings.Trim(strings.TrimPrefix(dir, "/scratch/"), "/"))
	})
	return resultPattern.ReplaceAllStringFunc(body, func(m string) string {
		parts := resultPattern.FindStringSubmatch(m)
		return fmt.Sprintf(`%s%013s"`, parts[1], parts[2])
	})
}

// flush ends a step.
func (rec *recorder) flush(title string) {
	rec.mu.Lock()
	defer rec.mu.Unlock()
	entries := rec.entries
	rec.entries = nil
	if rec.off {
		return
	}
	slices.SortStableFunc(entries, func(a, b entry) int {
		d := cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.key, b.key))
		if d == 0 && rec.unordered && a.class == classEditor {
			d = cmp.Compare(a.line, b.line)
		}
		return d
	})
	rec.unordered = false
	entries = answersBehind(entries)
	fmt.Fprintf(&rec.out, "\n# %s\n", title)
	for i, e := range entries {
		if e.key != "" && e.class != classEditorSetup && i+1 < len(entries) && entries[i+1].class == e.class && entries[i+1].key == e.key {
			continue // a later one says what counts
		}
		rec.out.WriteString(rec.normal(e.line) + "\n")
	}
}

var (
	uuidPattern    = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	scratchPattern = regexp.MustCompile(`/scratch/\d+/`)
	resultPattern  = regexp.MustCompile(`("(?:previousR|r)esultId": ?")([0-9a-z]+)"`)
)

// normal numbers what is random in the order of its appearance.
func (rec *recorder) normal(line string) string {
	line = uuidPattern.ReplaceAllStringFunc(line, func(id string) string { return rec.number("id", id) })
	line = scratchPattern.ReplaceAllStringFunc(line, func(dir string) string { return "/scratch/" + rec.number("dir", dir) + "/" })
	return resultPattern.ReplaceAllStringFunc(line, func(m string) string {
		parts := resultPattern.FindStringSubmatch(m)
		return parts[1] + rec.number("result", parts[2]) + `"`
	})
}

func (rec *recorder) number(kind, id string) string {
	if n, ok := rec.ids[id]; ok {
		return n
	}
	n := 1
	for _, other := range rec.ids {
		if strings.HasPrefix(other, kind+"-") {
			n++
		}
	}
	rec.ids[id] = fmt.Sprintf("%s-%d", kind, n)
	return rec.ids[id]
}
