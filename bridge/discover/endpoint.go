package discover

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"time"
)

// Endpoint is one running agent host that published itself.
type Endpoint struct {
	Type            string // "editor" or "standalone"
	PID             int
	InstanceID      string
	ProtocolVersion string // as published, e.g. "0.9.0"; the handshake decides
	Quality         string // e.g. "stable"; "" if not published
	TunnelName      string // "" if not published

	// URL is ws://host:port/ or ws+unix:///path/to.sock or ws+pipe:///name, without the token.
	URL string

	// Token opens the host; it may be empty. Never log it: String, GoString and
	// JSON leave it out, a direct use of the member does not.
	Token string `json:"-"`

	File     string    // the entry's file
	Modified time.Time // when the entry was last written
}

// String describes the endpoint for people and logs. It never holds the token.
func (e Endpoint) String() string {
	return fmt.Sprintf("%s host at %s (pid %d, instance %q, protocol %q)", e.Type, e.URL, e.PID, e.InstanceID, e.ProtocolVersion)
}

// GoString is String: %#v would print the token.
func (e Endpoint) GoString() string { return e.String() }

// identity is the name an entry's file must have, without the suffix: lowercase
// hexadecimal SHA-256 of type NUL pid NUL instanceId (endpoint schema 2).
func (e Endpoint) identity() string {
	sum := sha256.Sum256([]byte(e.Type + "\x00" + strconv.Itoa(e.PID) + "\x00" + e.InstanceID))
	return hex.EncodeToString(sum[:])
}

// Finding says why an entry or a directory was passed over. It never holds a
// token.
type Finding struct {
	Path   string
	Kind   FindingKind
	Reason string // Kind and its details as a clause without a final period
}

// FindingKind tells the findings apart that mean something of their own.
type FindingKind int

// The kinds of findings.
const (
	// Unusable: something is wrong with the entry or the directory.
	Unusable FindingKind = iota
	// NoDirectory: the directory does not exist. Most of [DefaultLocations] do
	// not: a report on where we looked names it, a log does not.
	NoDirectory
	// Ended: the host that published the entry does not run any more.
	Ended
)
