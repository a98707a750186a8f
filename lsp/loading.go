package lsp

import "ahp-lsp/bridge"

// loading is how far a connection has come: a plugin that shows what an earlier
// server said takes away what this one does not tell of, once all is known.
type loading int

const (
	loadedAll    loading = iota // or there is no host to tell anything
	loadingHost                 // it is looked for, or has not told every comment
	loadingFiles                // it has; what they are about is being read
)

// hostMissing notes that there is no host.
func (s *Server) hostMissing() {
	if s.connection.State == bridge.Searching && s.loading != loadedAll {
		s.loading, s.statusNew = loadedAll, true
	}
}

// finishLoading notes that every comment of the host's is known, with its place.
func (s *Server) finishLoading() {
	if s.loading != loadingFiles {
		return
	}
	for _, ses := range s.sessions {
		turnsKnown := ses.hurry || ses.view != nil && ses.view.ChatKnown
		if len(ses.threads) > 0 && !(turnsKnown && ses.store.loaded) {
			return
		}
	}
	for _, f := range s.files {
		if len(f.threads) > 0 && f.loading() {
			return
		}
	}
	s.loading, s.statusNew = loadedAll, true
}
