package remote

import "errors"

// ErrNotConnected: there is no connection to a host; nothing was sent.
var ErrNotConnected = errors.New("not connected to an agent host")

// ErrDisconnected is the outcome of a request whose connection ended before its
// answer came: it is not known whether the host has done it.
var ErrDisconnected = errors.New("the connection to the host was lost")
