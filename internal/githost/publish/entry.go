package publish

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/atomicfile"
	"ahp-lsp/internal/localsocket"
	"ahp-lsp/internal/regularfile"
)

// entry is what a running host publishes, in the format of VS Code's hosts
// (schema version 2). instanceId is the id of the work tree.
type entry struct {
	SchemaVersion   int      `json:"schemaVersion"`
	Type            string   `json:"type"`
	PID             int      `json:"pid"`
	InstanceID      string   `json:"instanceId"`
	ProtocolVersion string   `json:"protocolVersion"`
	Token           string   `json:"connectionToken"`
	Endpoint        endpoint `json:"endpoint"`
}

type endpoint struct {
	Type string `json:"type"` // socket or tcp
	Path string `json:"path,omitempty"`
	Host string `json:"host,omitempty"`
	Port int    `json:"port,omitempty"`
}

const entrySchema = 2

func newEntry(id, token string, at endpoint) entry {
	return entry{
		SchemaVersion: entrySchema, Type: "standalone", PID: os.Getpid(), InstanceID: id,
		ProtocolVersion: ahp.Versions()[0], Token: token, Endpoint: at,
	}
}

// identity is the name of an entry's file, without the suffix.
func (e entry) identity() string {
	sum := sha256.Sum256([]byte(e.Type + "\x00" + strconv.Itoa(e.PID) + "\x00" + e.InstanceID))
	return hex.EncodeToString(sum[:])
}

// write writes the entry's file and returns its name. The file is there as a
// whole or not at all, and nobody else can read it at any time.
func (e entry) write(dir string) (name string, err error) {
	data, err := ahp.Marshal(e)
	if err != nil {
		return "", err
	}
	name = filepath.Join(dir, e.identity()+".json")
	return name, atomicfile.Replace(name, data, 0o600)
}

// readEntry reads an entry that a host of ours has published.
func readEntry(name string) (entry, error) {
	info, err := os.Lstat(name)
	if err != nil {
		return entry{}, err
	}
	if err := owned(info); err != nil {
		return entry{}, fmt.Errorf("%s: %w", name, err)
	}
	data, err := regularfile.Read(name, 64<<10)
	if err != nil {
		return entry{}, err
	}
	var e entry
	if err := json.Unmarshal(data, &e); err != nil {
		return entry{}, fmt.Errorf("%s: %w", name, err)
	}
	if e.SchemaVersion != entrySchema || e.identity()+".json" != filepath.Base(name) {
		return entry{}, fmt.Errorf("%s is not an entry of this version", name)
	}
	return e, nil
}

// url is the address as a client dials it, without the token.
func (at endpoint) url() string {
	if at.Type == "socket" {
		return localsocket.URL(at.Path)
	}
	return (&url.URL{Scheme: "ws", Host: net.JoinHostPort(at.Host, strconv.Itoa(at.Port)), Path: "/"}).String()
}

// network is the address as net.Dial takes it.
func (at endpoint) network() (network, address string) {
	if at.Type == "socket" {
		return "unix", at.Path
	}
	return "tcp", net.JoinHostPort(at.Host, strconv.Itoa(at.Port))
}

// endpointOf is the endpoint of a listener.
func endpointOf(l net.Listener) endpoint {
	if a, ok := l.Addr().(*net.TCPAddr); ok {
		host := a.IP.String()
		if a.IP.IsUnspecified() {
			host = "127.0.0.1" // readers of the entry are on this machine
		}
		return endpoint{Type: "tcp", Host: host, Port: a.Port}
	}
	return endpoint{Type: "socket", Path: l.Addr().String()}
}

// newToken is a token that nobody can guess.
func newToken() string { return strings.ToLower(rand.Text() + rand.Text()) }
