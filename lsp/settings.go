package lsp

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"

	"github.com/tliron/glsp"
	protocol "github.com/tliron/glsp/protocol_3_16"

	"ahp-lsp/bridge"
)

// Settings are what a user can set: in the editor's section "ahp", in
// initializationOptions, and, for the first five, on the command line and in
// the environment. Unset members take the next source's value; the comment is
// the default.
type Settings struct {
	Host      string `json:"host,omitempty"`      // auto
	Token     string `json:"token,omitempty"`     // none
	TokenFile string `json:"tokenFile,omitempty"` // none
	Session   string `json:"session,omitempty"`   // the newest ones of the workspace

	PathMap     []bridge.PathMapping `json:"pathMap,omitempty"`     // none
	Changesets  []string             `json:"changesets,omitempty"`  // uncommitted, session, branch
	MaxSessions int                  `json:"maxSessions,omitempty"` // 8
	ReadLimit   int64                `json:"readLimit,omitempty"`   // 268435456 bytes

	ShowResolved    *bool             `json:"showResolved,omitempty"`    // false
	Diagnostics     *bool             `json:"diagnostics,omitempty"`     // true
	PullDiagnostics *bool             `json:"pullDiagnostics,omitempty"` // false
	CodeLenses      *bool             `json:"codeLenses,omitempty"`      // true
	InlayHints      *bool             `json:"inlayHints,omitempty"`      // true where the client has no code lenses
	Notifications   *bool             `json:"notifications,omitempty"`   // false; for plugins, see plugin.go
	Severity        map[string]string `json:"severity,omitempty"`        // see severities
}

// severities are the default severities of comments by state; the setting
// "severity" replaces single ones. The words are LSP's, in lower case.
var severities = map[string]string{
	"awaiting": "warning", // written by an agent, not accepted yet
	"open":     "information",
	"detached": "hint", // the code is gone
	"resolved": "hint", // shown with showResolved
}

var severityValues = map[string]protocol.DiagnosticSeverity{
	"error": protocol.DiagnosticSeverityError, "warning": protocol.DiagnosticSeverityWarning,
	"information": protocol.DiagnosticSeverityInformation, "hint": protocol.DiagnosticSeverityHint,
}

// Over returns s with the members that o sets.
func (s Settings) Over(o Settings) Settings {
	dst, src := reflect.ValueOf(&s).Elem(), reflect.ValueOf(o)
	for i := range src.NumField() {
		if !src.Field(i).IsZero() {
			dst.Field(i).Set(src.Field(i))
		}
	}
	return s
}

func value(b *bool) bool { return b != nil && *b }

func orTrue(b *bool) bool { return b == nil || *b }

// readSettings decodes settings. A member of the wrong type is named to the
// user and left unset; the others count.
func (s *Server) readSettings(source string, raw json.RawMessage) Settings {
	var out Settings
	if len(raw) == 0 || string(raw) == "null" {
		return out
	}
	if err := json.Unmarshal(raw, &out); err != nil {
		var bad *json.UnmarshalTypeError
		if errors.As(err, &bad) && bad.Field != "" {
			s.tell(bridge.NoticeWarning, fmt.Sprintf("the setting ahp.%s must be %s, not %s; it is ignored", bad.Field, typeName(bad.Type), bad.Value))
		} else {
			s.tell(bridge.NoticeWarning, fmt.Sprintf("the settings in %s cannot be read: %v", source, err))
		}
	}
	for state, word := range out.Severity {
		if _, ok := severities[state]; !ok {
			s.tell(bridge.NoticeWarning, fmt.Sprintf("the setting ahp.severity has no state %q; there are awaiting, open, detached and resolved", state))
		}
		if _, ok := severityValues[word]; !ok {
			s.tell(bridge.NoticeWarning, fmt.Sprintf("the setting ahp.severity.%s is %q; it can be error, warning, information or hint", state, word))
			delete(out.Severity, state)
		}
	}
	return out
}

func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a string"
	case reflect.Int, reflect.Int64:
		return "a number"
	case reflect.Slice:
		return "an array"
	}
	return "an object"
}

// severity is the diagnostic severity for a state.
func (s *Server) severity(state string) protocol.DiagnosticSeverity {
	word := severities[state]
	if w, ok := s.settings.Severity[state]; ok {
		word = w
	}
	return severityValues[word]
}

// applySettings puts the sources together, and starts the host anew if
// something it depends on changed.
func (s *Server) applySettings() {
	old := s.settings
	s.settings = s.cfg.Env.Over(s.fromInit).Over(s.fromConf).Over(s.cfg.Flags)
	if reflect.DeepEqual(old, s.settings) {
		return
	}
	if s.host != nil && !reflect.DeepEqual(hostPart(old), hostPart(s.settings)) {
		s.startHost()
	}
	for _, f := range s.files {
		s.touch(f)
	}
	s.refresh.lenses, s.refresh.hints = true, true
}

// hostPart is the settings the connection depends on.
func hostPart(s Settings) Settings {
	return Settings{
		Host: s.Host, Token: s.Token, TokenFile: s.TokenFile, Session: s.Session,
		PathMap: s.PathMap, Changesets: s.Changesets, MaxSessions: s.MaxSessions, ReadLimit: s.ReadLimit,
	}
}

// askSettings pulls the section from the editor.
func (s *Server) askSettings() {
	params := protocol.ConfigurationParams{Items: []protocol.ConfigurationItem{{Section: ptr("ahp")}}}
	var answer []json.RawMessage
	s.ask("workspace/configuration", params, &answer, func(err error) {
		if err != nil {
			s.log.Warningf("workspace/configuration: %v", err)
		} else if len(answer) > 0 {
			s.fromConf = s.readSettings("workspace/configuration", answer[0])
			s.applySettings()
		}
		if s.host == nil && s.phase == phaseInitialized {
			s.startHost()
		}
	})
}

func (s *Server) didChangeConfiguration(_ *glsp.Context, p *protocol.DidChangeConfigurationParams) error {
	if s.client.Workspace.Configuration {
		s.askSettings()
		return nil
	}
	raw, err := json.Marshal(p.Settings)
	if err != nil {
		return err
	}
	if section := unwrap(raw); len(section) > 0 && string(section) != "null" {
		s.fromConf = s.readSettings("workspace/didChangeConfiguration", section)
		s.applySettings()
	}
	return nil
}

// Hosts gives the list of hosts to try, made anew for each attempt: the token
// file may have been written since, and endpoints come and go.
func (s Settings) Hosts(discover func() []bridge.Host) func() []bridge.Host {
	return func() []bridge.Host {
		if s.Host == "" || s.Host == "auto" {
			if discover == nil {
				return nil
			}
			return discover()
		}
		h := bridge.Host{URL: s.Host, Token: s.Token}
		if h.Token == "" && s.TokenFile != "" {
			h.Token, h.Err = ReadTokenFile(s.TokenFile)
		}
		return []bridge.Host{h}
	}
}

// ReadTokenFile reads a token from a file that nobody else can read.
func ReadTokenFile(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("read the token: %w", err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return "", fmt.Errorf("the token file %s can be read by other users (mode %04o): run chmod 600 on it", path, info.Mode().Perm())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("read the token: %w", err)
	}
	token := strings.TrimSpace(string(data))
	if token == "" {
		return "", fmt.Errorf("the token file %s is empty", path)
	}
	return token, nil
}

func ptr[T any](v T) *T { return &v }
