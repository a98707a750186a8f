// Package localsocket connects programs of one user on one machine: through Unix
// sockets, and through named pipes on Windows. An address is the path of the
// socket, or of the pipe: \\.\pipe\NAME.
package localsocket

import (
	"context"
	"net"
	"net/url"
	"strings"
)

// PipePrefix is what the path of a named pipe begins with.
const PipePrefix = `\\.\pipe\`

// PipeName returns the name of the named pipe that a path is of, in any of the
// spellings that Windows takes; ok is false for any other path.
func PipeName(path string) (name string, ok bool) {
	for _, prefix := range []string{PipePrefix, `\\?\pipe\`} {
		if len(path) > len(prefix) && strings.EqualFold(path[:len(prefix)], prefix) {
			return path[len(prefix):], true
		}
	}
	return "", false
}

// URL is the address of a host that listens at an address: ws+unix:///path of a
// socket, ws+pipe:///NAME of a pipe.
func URL(address string) string {
	if name, ok := PipeName(address); ok {
		return (&url.URL{Scheme: "ws+pipe", Path: "/" + name}).String()
	}
	return (&url.URL{Scheme: "ws+unix", Path: address}).String()
}

// Dial is [net.Dialer.DialContext], but for the network "unix" the address can be
// that of a pipe.
func Dial(ctx context.Context, network, address string) (net.Conn, error) {
	if _, pipe := PipeName(address); pipe && network == "unix" {
		return dialPipe(ctx, address)
	}
	return (&net.Dialer{}).DialContext(ctx, network, address)
}

// Listen listens where only this user can connect. A socket that is in the way
// is removed: who calls this knows that nobody listens on it any more.
func Listen(address string) (net.Listener, error) {
	if _, pipe := PipeName(address); pipe {
		return listenPipe(address)
	}
	return listenUnix(address)
}
