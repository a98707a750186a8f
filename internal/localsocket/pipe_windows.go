package localsocket

import (
	"context"
	"net"

	"github.com/Microsoft/go-winio"
)

// ownerOnly is a security descriptor: full access for the owner, none for others,
// and nothing inherited.
const ownerOnly = "D:P(A;;GA;;;OW)"

func dialPipe(ctx context.Context, path string) (net.Conn, error) {
	return winio.DialPipeContext(ctx, path)
}

func listenPipe(path string) (net.Listener, error) {
	return winio.ListenPipe(path, &winio.PipeConfig{SecurityDescriptor: ownerOnly})
}
