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

// WithMaxFrame sets the longest body accepted, in bytes. A longer one is skipped without being kept
// and answered with an error. Default: 256 MiB.
func WithMaxFrame(bytes int64) Option { return func(c *Conn) { c.maxFrame = bytes } }

// WithTrace has f called with each body received, before it is parsed, and each body sent, just
// before it is written; these are two goroutines. f must not keep or change body, and holds up the
// connection while it runs.
func WithTrace(f func(sent bool, body []byte)) Option { return func(c *Conn) { c.trace = f } }

type discard struct{}

func (discard) Errorf(string, ...any)   {}
func (discard) Warningf(string, ...any) {}
