package lsp

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/tliron/glsp"

	"ahp-lsp/bridge"
	"ahp-lsp/bridge/remote"
	"ahp-lsp/internal/tokenfile"
	"ahp-lsp/lsp/protocol"
	"ahp-lsp/lsp/view"
	"ahp-lsp/lsp/workspace"
)

// Settings are what a user can set: in the editor's section "ahp", in
// initializationOptions, and, for the first four, on the command line and (but for
// the token file) in the environment. Unset members take the next source's value; the comment is
// the default.
type Settings struct {
	Host      string `json:"host,omitempty"`      // auto
	Token     string `json:"token,omitempty"`     // none
	TokenFile string `json:"tokenFile,omitempty"` // none
	Session   string `json:"session,omitempty"`   // the newest ones of the workspace

	PathMap     []bridge.PathMapping `json:"pathMap,omitempty"`     // none
	Changesets  []string             `json:"changesets,omitempty"`  // the agent's own, see bridge.Config
	MaxSessions int                  `json:"maxSessions,omitempty"` // 8
	ReadLimit   int64                `json:"readLimit,omitempty"`   // 268435456 bytes

	ShowResolved    *bool             `json:"showResolved,omitempty"`    // false
	Diagnostics     *bool             `json:"diagnostics,omitempty"`     // true
	PullDiagnostics *bool             `json:"pullDiagnostics,omitempty"` // false
	CodeLenses      *bool             `json:"codeLenses,omitempty"`      // true
	InlayHints      *bool             `json:"inlayHints,omitempty"`      // true where the client has no code lenses
	Notifications   *bool             `json:"notifications,omitempty"`   // false; for plugins, see package view
	Severity        map[string]string `json:"severity,omitempty"`        // see view.SeverityState
}

// Over returns s with the members that o sets; of severities, the states.
func (s Settings) Over(o Settings) Settings {
	severity := maps.Clone(s.Severity)
	dst, src := reflect.ValueOf(&s).Elem(), reflect.ValueOf(o)
	for i := range src.NumField() {
		if !src.Field(i).IsZero() {
			dst.Field(i).Set(src.Field(i))
		}
	}
	if len(severity) > 0 && len(o.Severity) > 0 {
		maps.Copy(severity, o.Severity)
		s.Severity = severity
	}
	return s
}

func value(b *bool) bool { return b != nil && *b }

func orTrue(b *bool) bool { return b == nil || *b }

// readSettings decodes settings. Members of the wrong type are named to the
// user and left unset; the others count.
func (s *Server) readSettings(source string, raw json.RawMessage) Settings {
	var out Settings
	if len(raw) == 0 || string(raw) == "null" {
		return out
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		s.editor.tell(remote.NoticeWarning, fmt.Sprintf("the settings in %s must be an object; they are ignored", source))
		return out
	}
	dst := reflect.ValueOf(&out).Elem()
	for i := range dst.NumField() {
		name, _, _ := strings.Cut(dst.Type().Field(i).Tag.Get("json"), ",")
		if member, ok := members[name]; ok {
			// Each on its own: decoding fills a part of what it then refuses.
			v := reflect.New(dst.Field(i).Type())
			if err := json.Unmarshal(member, v.Interface()); err != nil {
				s.editor.tell(remote.NoticeWarning, badSetting(name, err))
				continue
			}
			dst.Field(i).Set(v.Elem())
		}
	}
	for _, state := range slices.Sorted(maps.Keys(out.Severity)) {
		word := out.Severity[state]
		if !view.SeverityState(state) {
			s.editor.tell(remote.NoticeWarning, fmt.Sprintf("the setting ahp.severity has no state %q; there are awaiting, open, detached and resolved", state))
		}
		if !view.SeverityWord(word) {
			s.editor.tell(remote.NoticeWarning, fmt.Sprintf("the setting ahp.severity.%s is %q; it can be error, warning, information or hint", state, word))
			delete(out.Severity, state)
		}
	}
	return out
}

// badSetting says what is wrong with a setting that cannot be decoded.
func badSetting(name string, err error) string {
	var bad *json.UnmarshalTypeError
	if !errors.As(err, &bad) {
		return fmt.Sprintf("the setting ahp.%s cannot be read: %v; it is ignored", name, err)
	}
	if bad.Field != "" {
		name += "." + bad.Field
	}
	return fmt.Sprintf("the setting ahp.%s must be %s, not %s; it is ignored", name, typeName(bad.Type), jsonTypeName(bad.Value))
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

// jsonTypeName is what encoding/json calls a value of the wrong type, as a
// user would.
func jsonTypeName(value string) string {
	switch value {
	case "bool":
		return "true or false"
	case "array", "object":
		return "an " + value
	}
	return "a " + value // string, number, number 1.5
}

// settings are where the settings in force come from.
type settings struct {
	fromInit Settings // initializationOptions
	fromConf Settings // workspace/configuration and didChangeConfiguration
	inForce  Settings
	asked    int // counts the questions for settings; older answers are dropped
}

// applySettings puts the sources together, and starts the host again if something
// it depends on changed.
func (s *Server) applySettings() {
	old := s.settings.inForce
	now := s.cfg.Env.Over(s.settings.fromInit).Over(s.settings.fromConf).Over(s.cfg.Flags)
	if reflect.DeepEqual(old, now) && s.phase != phaseNew {
		return
	}
	s.settings.inForce = now
	if s.host.client != nil && !reflect.DeepEqual(hostPart(old), hostPart(now)) {
		s.startHost()
	}
	s.apply(workspace.SettingsChanged{Settings: workspace.Settings{
		ShowResolved: value(now.ShowResolved), Diagnostics: orTrue(now.Diagnostics), CodeLenses: orTrue(now.CodeLenses),
		InlayHints: now.InlayHints, Notifications: value(now.Notifications), Severity: now.Severity,
	}})
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
	s.settings.asked++
	nth := s.settings.asked
	s.editor.ask("workspace/configuration", params, &answer, func(err error) {
		if nth != s.settings.asked {
			return // asked again meanwhile
		}
		if err != nil {
			s.cfg.Log.Warningf("workspace/configuration: %v", err)
		} else if len(answer) > 0 {
			s.settings.fromConf = s.readSettings("workspace/configuration", answer[0])
			s.applySettings()
		}
		if s.host.client == nil && s.phase == phaseInitialized {
			s.startHost()
		}
	})
}

func (s *Server) didChangeConfiguration(_ *glsp.Context, p *protocol.DidChangeConfigurationParams) error {
	if s.editor.client.Workspace.Configuration {
		s.askSettings()
		return nil
	}
	raw, err := json.Marshal(p.Settings)
	if err != nil {
		return err
	}
	if section := unwrap(raw); len(section) > 0 && string(section) != "null" {
		s.settings.fromConf = s.readSettings("workspace/didChangeConfiguration", section)
		s.applySettings()
	}
	return nil
}

// Hosts gives the list of hosts to try, made again for each attempt: the token
// file may have been written since, and endpoints come and go. roots gives the
// folders that are open, as URIs. discover finds hosts of a kind, HostAuto or
// HostGit; with nil, there are none but the one that is named.
func (s Settings) Hosts(discover func(kind string, roots []string) []bridge.Host, roots func() []string) func() []bridge.Host {
	return func() []bridge.Host {
		switch s.Host {
		case "", HostAuto, HostGit:
			if discover == nil {
				return nil
			}
			return discover(cmp.Or(s.Host, HostAuto), roots())
		}
		h := bridge.Host{URL: s.Host, Token: s.Token}
		if h.Token == "" && s.TokenFile != "" {
			h.Token, h.Err = tokenfile.Read(s.TokenFile)
		}
		return []bridge.Host{h}
	}
}

// Values of Settings.Host that are no address.
const (
	HostAuto = "auto" // what can be found, then the embedded host
	HostGit  = "git"  // the embedded host, made from the git repository
)

func ptr[T any](v T) *T { return &v }
