package bridge

import (
	"maps"
	"slices"

	"ahp-lsp/bridge/ahp"
)

// sessionList is what the host says of its sessions.
type sessionList struct {
	listed  map[string]ahp.SessionSummary
	order   []string                      // of listed, newest first
	pages   map[string]ahp.SessionSummary // the pages so far of a list under way; nil if none is
	refused map[string]Reason             // sessions that could not be followed when it was tried
	turn    chan struct{}                 // holds a token while the sessions are listed
}

func newSessionList() sessionList {
	return sessionList{listed: map[string]ahp.SessionSummary{}, refused: map[string]Reason{}, turn: make(chan struct{}, 1)}
}

// complete takes the pages that were read as the list.
func (l *sessionList) complete() {
	l.listed = l.pages
	l.order = slices.Sorted(maps.Keys(l.listed))
	l.sort()
}

// sort puts the newest first.
func (l *sessionList) sort() {
	slices.SortStableFunc(l.order, func(a, b string) int {
		return l.listed[b].ModifiedAt.Compare(l.listed[a].ModifiedAt)
	})
}

// set adds or replaces one session. A list under way gets it too: what the host
// tells between two pages is newer than either.
func (l *sessionList) set(s ahp.SessionSummary) {
	if _, known := l.listed[s.Resource]; !known {
		l.order = slices.Insert(l.order, 0, s.Resource)
	}
	l.listed[s.Resource] = s
	if l.pages != nil {
		l.pages[s.Resource] = s
	}
	l.sort()
}

// remove takes out one session.
func (l *sessionList) remove(uri string) {
	delete(l.listed, uri)
	delete(l.pages, uri)
	l.order = slices.DeleteFunc(l.order, func(u string) bool { return u == uri })
}
