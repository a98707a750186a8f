package discover

import (
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"ahp-lsp/internal/localsocket"
)

func TestIdentity(t *testing.T) {
	// printf 'editor\0004711\000a-b-c' | sha256sum
	e := Endpoint{Type: "editor", PID: 4711, InstanceID: "a-b-c"}
	require.Equal(t, "87f2f9423798def7a63616ce7b483030a515bf9d0ee36c03ce4a00c95df621d6", e.identity())
}

func TestParseEntry(t *testing.T) {
	socket := func(path any) published { return published{"endpoint": published{"type": "socket", "path": path}} }
	tcp := func(host, port any) published {
		return published{"endpoint": published{"type": "tcp", "host": host, "port": port}}
	}
	for name, tt := range map[string]struct {
		over published
		url  string // the published address, or
		err  string // a part of the reason
	}{
		"tcp":                  {over: tcp("127.0.0.1", 8123), url: "ws://127.0.0.1:8123/"},
		"tcp, a name":          {over: tcp("localhost", 65535), url: "ws://localhost:65535/"},
		"tcp, IPv6":            {over: tcp("::1", 1), url: "ws://[::1]:1/"},
		"tcp, IPv6 in URL":     {over: tcp("[::1]", 1), url: "ws://[::1]:1/"},
		"tcp, IPv6 zone":       {over: tcp("fe80::1%eth0", 1), url: "ws://[fe80::1%25eth0]:1/"},
		"socket":               {over: socket("/run/user/1000/host.sock"), url: "ws+unix:///run/user/1000/host.sock"},
		"socket, any path":     {over: socket("/tmp/a b/100%?#é.sock"), url: "ws+unix:///tmp/a%20b/100%25%3F%23%C3%A9.sock"},
		"socket, as published": {over: socket("/tmp/../tmp//h.sock"), url: "ws+unix:///tmp/../tmp//h.sock"},
		"standalone":           {over: published{"type": "standalone"}, url: "ws://127.0.0.1:8123/"},
		"unknown members":      {over: published{"later": published{"a": 1}}, url: "ws://127.0.0.1:8123/"},
		"optional is null":     {over: published{"quality": json.RawMessage("null")}, url: "ws://127.0.0.1:8123/"},
		"no token needed":      {over: published{"connectionToken": ""}, url: "ws://127.0.0.1:8123/"},

		"schema 1":         {over: published{"schemaVersion": 1}, err: "schemaVersion is 1"},
		"schema 3":         {over: published{"schemaVersion": 3}, err: "schemaVersion is 3"},
		"schema text":      {over: published{"schemaVersion": "2"}, err: "schemaVersion"},
		"no schema":        {over: published{"schemaVersion": nil}, err: "schemaVersion is missing"},
		"other case":       {over: published{"pid": nil, "PID": 1}, err: "pid is missing"},
		"type":             {over: published{"type": "Editor"}, err: "type is neither"},
		"type number":      {over: published{"type": 1}, err: "type is not a string"},
		"pid 0":            {over: published{"pid": 0}, err: "pid is not"},
		"pid negative":     {over: published{"pid": -1}, err: "pid is not"},
		"pid fraction":     {over: published{"pid": 1.5}, err: "pid is not"},
		"pid huge":         {over: published{"pid": 1 << 31}, err: "pid is not"},
		"pid text":         {over: published{"pid": "1"}, err: "pid is not"},
		"pid null":         {over: published{"pid": json.RawMessage("null")}, err: "pid is not"},
		"instance empty":   {over: published{"instanceId": ""}, err: "instanceId is empty"},
		"instance NUL":     {over: published{"instanceId": "a\x00b"}, err: "instanceId holds"},
		"instance newline": {over: published{"instanceId": "a\nb"}, err: "instanceId holds"},
		"half a surrogate": {over: published{"instanceId": json.RawMessage(`"\ud800"`)}, err: "instanceId holds"},
		"version missing":  {over: published{"protocolVersion": nil}, err: "protocolVersion is missing"},
		"version empty":    {over: published{"protocolVersion": ""}, err: "protocolVersion is empty"},
		"token missing":    {over: published{"connectionToken": nil}, err: "connectionToken is missing"},
		"token object":     {over: published{"connectionToken": published{"a": testToken}}, err: "connectionToken is not a string"},
		"token null":       {over: published{"connectionToken": json.RawMessage("null")}, err: "connectionToken is not a string"},
		"quality number":   {over: published{"quality": 1}, err: "quality is not a string"},
		"tunnel list":      {over: published{"tunnelName": []int{}}, err: "tunnelName is not a string"},

		"no endpoint":       {over: published{"endpoint": nil}, err: "endpoint is missing"},
		"endpoint null":     {over: published{"endpoint": json.RawMessage("null")}, err: "endpoint is not a JSON object"},
		"endpoint text":     {over: published{"endpoint": "ws://h:1/?tkn=" + testToken}, err: "endpoint is not a JSON object"},
		"endpoint type":     {over: published{"endpoint": published{"type": "vsock"}}, err: "neither"},
		"no endpoint type":  {over: published{"endpoint": published{}}, err: "type is missing"},
		"socket, relative":  {over: socket("host.sock"), err: "not absolute"},
		"socket, abstract":  {over: socket("@host"), err: "not absolute"},
		"socket, empty":     {over: socket(""), err: "not absolute"},
		"socket, NUL":       {over: socket("/tmp/a\x00"), err: "path holds"},
		"socket, no path":   {over: published{"endpoint": published{"type": "socket"}}, err: "path is missing"},
		"socket, C:":        {over: socket(`C:\host.sock`), err: "not absolute"},
		"named pipe":        {over: socket(`\\.\pipe\vscode host`), url: "ws+pipe:///vscode%20host"},
		"named pipe, other": {over: socket(`\\?\PIPE\host`), url: "ws+pipe:///host"},
		"pipe, no name":     {over: socket(`\\.\pipe\`), err: "not absolute"},
		"port 0":            {over: tcp("localhost", 0), err: "port is not"},
		"port 65536":        {over: tcp("localhost", 65536), err: "port is not"},
		"port text":         {over: tcp("localhost", "80"), err: "port is not"},
		"host empty":        {over: tcp("", 80), err: "neither a host name"},
		"host number":       {over: tcp(1, 80), err: "host is not a string"},
		"host with port":    {over: tcp("h:1", 80), err: "neither a host name"},
		"host with path":    {over: tcp("h/x", 80), err: "neither a host name"},
		"host with user":    {over: tcp("u@h", 80), err: "neither a host name"},
		"host with query":   {over: tcp("h?tkn=1", 80), err: "neither a host name"},
		"host escaped":      {over: tcp("%68", 80), err: "neither a host name"},
		"host brackets":     {over: tcp("[h]", 80), err: "neither a host name"},
		"host with a space": {over: tcp("a b", 80), err: "neither a host name"},
		"host, bad zone":    {over: tcp("fe80::1%a/b", 80), err: "neither a host name"},
		"host too long":     {over: tcp(strings.Repeat("a", 254), 80), err: "neither a host name"},
	} {
		t.Run(name, func(t *testing.T) {
			p := host(tt.over)
			e, err := parseEntry(p.json(t))
			if tt.err != "" {
				require.ErrorContains(t, err, tt.err)
				require.NotContains(t, err.Error(), testToken)
				require.Zero(t, e)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.url, e.URL)
			require.Equal(t, p["type"], e.Type)
			require.Equal(t, p["connectionToken"], e.Token)
			u, err := url.Parse(e.URL)
			require.NoError(t, err)
			ep := p["endpoint"].(published)
			if u.Scheme == "ws+pipe" {
				require.Equal(t, ep["path"].(string)[len(localsocket.PipePrefix):], u.Path[1:])
			} else if ep["type"] == "socket" {
				require.Equal(t, ep["path"], u.Path, "dialled as published")
				require.Empty(t, u.Host)
			} else {
				require.Equal(t, fmt.Sprint(ep["port"]), u.Port())
				require.Equal(t, strings.Trim(ep["host"].(string), "[]"), u.Hostname())
			}
		})
	}
}

func TestParseEntryText(t *testing.T) {
	for name, tt := range map[string]struct{ text, err string }{
		"empty":       {"", "not a JSON object"},
		"half":        {`{"schemaVersion":2,`, "not a JSON object"},
		"list":        {"[]", "not a JSON object"},
		"null":        {"null", "not a JSON object"},
		"two":         {"{}{}", "not a JSON object"},
		"not UTF-8":   {"{\"schemaVersion\":2,\"type\":\"\xff\"}", "not UTF-8"},
		"empty value": {"{}", "schemaVersion is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseEntry([]byte(tt.text))
			require.ErrorContains(t, err, tt.err)
		})
	}

	spaced, err := json.MarshalIndent(host(published{"quality": "stable", "tunnelName": "box"}), " ", "\t")
	require.NoError(t, err)
	e, err := parseEntry(append(spaced, '\n'))
	require.NoError(t, err)
	require.Equal(t, Endpoint{
		Type: "editor", PID: 4711, InstanceID: "a-b-c", ProtocolVersion: "0.9.0", Quality: "stable", TunnelName: "box",
		URL: "ws://127.0.0.1:8123/", Token: testToken,
	}, e)
}

func TestTokenIsNotShown(t *testing.T) {
	e, err := parseEntry(host(nil).json(t))
	require.NoError(t, err)
	require.Equal(t, testToken, e.Token)
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
		require.NotContains(t, fmt.Sprintf(format, e), testToken, format)
		require.NotContains(t, fmt.Sprintf(format, []*Endpoint{&e}[0]), testToken, format)
		require.NotContains(t, fmt.Sprintf(format, []Endpoint{e}), testToken, format)
	}
	data, err := json.Marshal(e)
	require.NoError(t, err)
	require.NotContains(t, string(data), testToken)
	require.Equal(t, `editor host at ws://127.0.0.1:8123/ (pid 4711, instance "a-b-c", protocol "0.9.0")`, e.String())
}
