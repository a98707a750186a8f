package discover

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"ahp-lsp/internal/localsocket"
)

// schemaVersion is the only version of an entry's format understood here; the
// publisher's rule is that readers ignore every other one.
const schemaVersion = 2

// parseEntry reads an entry's content. Every member that is used is checked for
// its type and range; unknown members are ignored. Errors name the member and
// never repeat its value, which could be the token in the wrong place.
func parseEntry(data []byte) (Endpoint, error) {
	// The decoder would replace broken UTF-8 silently, and so change a path.
	if !utf8.Valid(data) {
		return Endpoint{}, errors.New("it is not UTF-8 text")
	}
	var o object
	if err := json.Unmarshal(data, &o); err != nil || o == nil {
		return Endpoint{}, errors.New("it is not a JSON object")
	}
	version, err := o.integer("schemaVersion", 0, math.MaxInt32)
	if err != nil {
		return Endpoint{}, err
	}
	if version != schemaVersion {
		return Endpoint{}, fmt.Errorf("its schemaVersion is %d; only %d is understood", version, schemaVersion)
	}

	var e Endpoint
	var errs [8]error
	e.Type, errs[0] = o.text("type")
	e.PID, errs[1] = o.integer("pid", 1, math.MaxInt32)
	e.InstanceID, errs[2] = o.text("instanceId")
	e.ProtocolVersion, errs[3] = o.text("protocolVersion")
	e.Token, errs[4] = o.text("connectionToken")
	e.Quality, errs[5] = o.optionalText("quality")
	e.TunnelName, errs[6] = o.optionalText("tunnelName")
	e.URL, errs[7] = o.endpoint()
	for _, err := range errs {
		if err != nil {
			return Endpoint{}, err
		}
	}
	switch {
	case e.Type != "editor" && e.Type != "standalone":
		return Endpoint{}, errors.New(`its type is neither "editor" nor "standalone"`)
	case e.InstanceID == "":
		return Endpoint{}, errors.New("its instanceId is empty")
	case e.ProtocolVersion == "":
		return Endpoint{}, errors.New("its protocolVersion is empty")
	}
	return e, nil
}

// object is a JSON object whose members have not been decoded. Unlike a struct
// it tells a missing member from a zero one and "pid" from "PID".
type object map[string]json.RawMessage

func (o object) text(key string) (string, error) {
	raw, ok := o[key]
	if !ok {
		return "", fmt.Errorf("its %s is missing", key)
	}
	var s string
	if !bytes.HasPrefix(raw, []byte{'"'}) || json.Unmarshal(raw, &s) != nil {
		return "", fmt.Errorf("its %s is not a string", key)
	}
	// Control characters could forge lines of a log and end a path early;
	// U+FFFD stands for half a surrogate pair.
	for _, r := range s {
		if unicode.IsControl(r) || r == utf8.RuneError {
			return "", fmt.Errorf("its %s holds a control or broken character", key)
		}
	}
	return s, nil
}

func (o object) optionalText(key string) (string, error) {
	if raw, ok := o[key]; !ok || string(raw) == "null" {
		return "", nil
	}
	return o.text(key)
}

func (o object) integer(key string, least, most int64) (int, error) {
	raw, ok := o[key]
	if !ok {
		return 0, fmt.Errorf("its %s is missing", key)
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("its %s is not an integer from %d to %d", key, least, most)
	}
	return int(n), nil
}

// endpoint is the address as published, as a URL.
func (o object) endpoint() (string, error) {
	raw, ok := o["endpoint"]
	if !ok {
		return "", errors.New("its endpoint is missing")
	}
	var ep object
	if json.Unmarshal(raw, &ep) != nil || ep == nil {
		return "", errors.New("its endpoint is not a JSON object")
	}
	kind, err := ep.text("type")
	if err != nil {
		return "", fmt.Errorf("in its endpoint: %w", err)
	}
	switch kind {
	case "socket":
		path, err := ep.text("path")
		if err != nil {
			return "", fmt.Errorf("in its endpoint: %w", err)
		}
		return socketURL(path)
	case "tcp":
		host, err := ep.text("host")
		if err != nil {
			return "", fmt.Errorf("in its endpoint: %w", err)
		}
		port, err := ep.integer("port", 1, math.MaxUint16)
		if err != nil {
			return "", fmt.Errorf("in its endpoint: %w", err)
		}
		return tcpURL(host, port)
	}
	return "", errors.New(`the type of its endpoint is neither "socket" nor "tcp"`)
}

func socketURL(path string) (string, error) {
	if _, pipe := localsocket.PipeName(path); !pipe && !strings.HasPrefix(path, "/") {
		return "", errors.New("the path of its socket is not absolute, nor that of a named pipe")
	}
	return localsocket.URL(path), nil
}

func tcpURL(host string, port int) (string, error) {
	if inner, ok := strings.CutPrefix(host, "["); ok {
		if inner, ok = strings.CutSuffix(inner, "]"); ok && strings.Contains(inner, ":") {
			host = inner
		}
	}
	if !validHost(host) {
		return "", errors.New("the host of its endpoint is neither a host name nor an IP address")
	}
	return (&url.URL{Scheme: "ws", Host: net.JoinHostPort(host, strconv.Itoa(port)), Path: "/"}).String(), nil
}

// validHost keeps out everything that would mean something else inside a URL.
func validHost(host string) bool {
	if strings.Contains(host, ":") {
		address, err := netip.ParseAddr(host)
		return err == nil && (address.Zone() == "" || validName(address.Zone()))
	}
	return validName(host)
}

func validName(name string) bool {
	for _, c := range []byte(name) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '.', c == '_':
		default:
			return false
		}
	}
	return name != "" && len(name) <= 253 // the longest name DNS can hold
}
