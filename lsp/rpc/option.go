package rpc

// Option changes a default of [NewConn].
type Option func(*Conn)

// Logger is the part of commonlog.Logger used here. It is called from any goroutine, and never with
// params or results.
type Logger interface {
	Errorf(format string, args ...any)
	Warningf(format string, args ...any)
}

// WithLogger says where to tell the faults of the peer (Warningf) and of our own code (Errorf, with
// the stack). Default: nowhere.
func WithLogger(log Logger) Option { return func(c *Conn) { c.log = log } }

type discard struct{}

func (discard) Errorf(string, ...any)   {}
func (discard) Warningf(string, ...any) {}
