//go:build !windows

package localsocket

import (
	"context"
	"errors"
	"net"
)

var errNoPipes = errors.New("named pipes are there on Windows only")

func dialPipe(context.Context, string) (net.Conn, error) { return nil, errNoPipes }

func listenPipe(string) (net.Listener, error) { return nil, errNoPipes }
