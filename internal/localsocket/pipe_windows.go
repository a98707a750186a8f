package localsocket

import (
	"context"
	"fmt"
	"net"
	"os/user"

	"github.com/Microsoft/go-winio"
)

func dialPipe(ctx context.Context, path string) (net.Conn, error) {
	return winio.DialPipeContext(ctx, path)
}

const pipeBuffer = 64 << 10 // bytes

// listenPipe gives full access to this user, and none to anybody else.
func listenPipe(path string) (net.Listener, error) {
	me, err := user.Current()
	if err != nil {
		return nil, fmt.Errorf("listen on %s: whose it is cannot be found out: %w", path, err)
	}
	// On Windows the id is the SID that a security descriptor names.
	return winio.ListenPipe(path, &winio.PipeConfig{
		SecurityDescriptor: "D:P(A;;GA;;;" + me.Uid + ")",
		// Without a buffer each write waits until the other side reads.
		InputBufferSize: pipeBuffer, OutputBufferSize: pipeBuffer,
	})
}
