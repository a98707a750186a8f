// Package remote has what package bridge knows of an agent host, as immutable
// values: the connection, the sessions, their changesets, and the changes that
// it reports. It is what rooms that must not reach the connection may import.
// No I/O, no locks, no goroutines.
package remote

import (
	"time"

	"ahp-lsp/bridge/ahp"
)

// Change is one thing that changed at the host or on the way to it.
type Change interface{ change() }

// ConnectionChanged tells how the connection is.
type ConnectionChanged struct{ Connection Connection }

// Connection is a connection's state, for status displays.
type Connection struct {
	State   ConnectionState
	Host    string // the URL without its token
	Version string // of the protocol, when connected
	Server  string // name and version of the host, if it says them
	Err     error  // why it is not connected; nil while looking for a host
	Retry   time.Duration
}

// ConnectionState is where a connection is in its life.
type ConnectionState int

// The states of a connection.
const (
	Searching    ConnectionState = iota // no host is known
	Connecting                          // dialling or shaking hands
	Connected                           // live
	Disconnected                        // lost or refused; trying again after Retry
)

// String is the state in lower case.
func (s ConnectionState) String() string {
	return [...]string{"searching", "connecting", "connected", "disconnected"}[s]
}

// OutageChanged tells that an outage began some seconds ago, or is over. It is
// what a user should see of a connection that comes and goes; ConnectionChanged
// is for status displays and logs.
type OutageChanged struct{ Outage Outage }

// Outage is a time without a host, from the first loss, or the first attempt
// that failed, until a connection has lasted for some seconds. Shorter ones are
// not told; a host that comes and goes is one outage.
type Outage struct {
	Host  string // the URL without its token; "" for none
	Since time.Time
	Err   error // why there is no connection; nil while looking for a host
	Over  bool
}

// SessionsChanged gives every session the host lists and whether it is
// followed, newest first.
type SessionsChanged struct{ Sessions []SessionInfo }

// SessionInfo is one session of the host as seen from this workspace.
type SessionInfo struct {
	URI         string    `json:"uri"`
	Title       string    `json:"title"`
	Provider    string    `json:"provider,omitempty"`
	Status      int       `json:"status"`
	Modified    time.Time `json:"modified,omitzero"`
	Directories []string  `json:"directories"` // on this machine, where they can be translated
	Followed    bool      `json:"followed"`
	Reason      Reason    `json:"reason,omitzero"` // why it is not followed
	// Elsewhere: it works on other files than the workspace's, so that to follow
	// it would show nothing. It is Reason.Elsewhere, for those who get JSON.
	Elsewhere bool `json:"elsewhere,omitempty"`
}

// SessionChanged gives the new view of a followed session; nil when it is not
// followed any more.
type SessionChanged struct {
	Session string
	View    *SessionView
}

// SessionView is what is known of a followed session. It is immutable.
type SessionView struct {
	URI   string
	State *ahp.Session
	Chat  *ahp.Chat // never nil
	// ChatKnown: Chat is what the host says. Until then it is empty, and the
	// host may not know the session's turns and their changesets either.
	ChatKnown bool
	Requests  []Request // what the agent waits for, see RequestsChanged
}

// ChatChanged gives the chat of a followed session after something within its
// active turn, or its pending messages, changed. What starts, ends or removes
// turns comes as a SessionChanged.
type ChatChanged struct {
	Session string
	Chat    *ahp.Chat // immutable
}

// RequestsChanged gives what the agent of a session waits for, oldest first;
// none when everything is answered, by anybody, or the session is not followed
// any more. It comes behind the SessionChanged that has the same.
type RequestsChanged struct {
	Session  string
	Requests []Request
}

// AnnotationsLost tells that a host which was started again does not have
// annotations any more that it had confirmed. They are kept until they are sent
// again: see bridge.Client.RestoreLost. An AnnotationsChanged that
// takes them away comes before it.
type AnnotationsLost struct {
	Session     string
	Annotations []*ahp.Annotation // all that are lost, in their order; none when they are back
}

// Request is something that an agent waits for. It is immutable.
type Request struct {
	ID      string
	Kind    string // ahp.InputToolConfirmation, ahp.InputChat, or another one, which cannot be answered here
	Session string
	Chat    string // URI
	Turn    string
	Call    *ahp.ToolCall  // nil but for tools
	Form    *ahp.InputForm // nil but for ahp.InputChat
	// Answering: an answer of ours is on its way.
	Answering bool
}

// AnnotationsChanged gives the annotations that changed in a session, as they
// are to be shown (pending actions included). Old or New is nil for an
// annotation that appeared or went.
type AnnotationsChanged struct {
	Session string
	Changed []AnnotationChange
	// Live: it happened now. Otherwise it came with a snapshot, and nothing
	// says when it happened.
	Live bool
	// Gone: the host has not removed them, but they are not mirrored any more.
	Gone bool
}

// AnnotationChange is one annotation before and after.
type AnnotationChange struct{ Old, New *ahp.Annotation }

// ChangesetChanged gives the new state of a changeset; View is nil when it is
// not followed any more.
type ChangesetChanged struct {
	Session string
	Channel string
	View    *ChangesetView
	// Touched are the files whose entry changed, old and new ones; the other
	// files are the same pointers as before.
	Touched []*ahp.ChangesetFile
}

// ChangesetView is a changeset as it is to be shown. It is immutable.
type ChangesetView struct {
	Session string
	Channel string
	Entry   ahp.CatalogueEntry
	State   *ahp.Changeset
	// Primary: hunks are shown from this one. Others are followed for their
	// operations and review flags.
	Primary bool
	// Turn is the id of the turn whose slice this is, "" for a static one.
	Turn string
}

// Rejected tells that the host refused an action of ours, which has been taken
// back.
type Rejected struct {
	Channel string
	Action  ahp.Action
	Reason  string
	New     bool // of Unsent: it makes an annotation that the host does not have
}

// Confirmed tells that the host has taken an action of ours on annotations.
type Confirmed struct {
	Channel string
	Action  ahp.Action
}

// Notice is something the user has to know, once.
type Notice struct {
	Severity NoticeSeverity
	Text     string
}

// NoticeSeverity orders notices.
type NoticeSeverity int

// Severities of notices.
const (
	NoticeInfo NoticeSeverity = iota
	NoticeWarning
	NoticeError
)

// CaughtUp tells, once per connection, that the host has said which sessions it
// has, and which comments are in those that are followed.
type CaughtUp struct{}

func (ConnectionChanged) change()  {}
func (CaughtUp) change()           {}
func (SessionsChanged) change()    {}
func (SessionChanged) change()     {}
func (AnnotationsChanged) change() {}
func (ChangesetChanged) change()   {}
func (Rejected) change()           {}
func (Confirmed) change()          {}
func (Notice) change()             {}
func (ChatChanged) change()        {}
func (RequestsChanged) change()    {}
func (OutageChanged) change()      {}
func (AnnotationsLost) change()    {}

// Kinds of changesets that mean something here; hosts have others as well.
const (
	KindSession     = "session"
	KindTurn        = "turn"
	KindUncommitted = "uncommitted"
	KindBranch      = "branch"
	KindStaged      = "staged"
	// KindPatchset is a changeset whose after side is proposed: it is not on disk
	// yet.
	KindPatchset = "patchset"
)

// Baseline is a changeset that hunks can be shown from.
type Baseline struct {
	Session string
	Channel string
	Entry   ahp.CatalogueEntry
	Turn    string // the turn whose slice it is, "" for a static one
	Shown   bool
}
