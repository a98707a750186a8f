package bridge

import "ahp-lsp/bridge/remote"

// What a Client reports, see package remote.
type (
	Change             = remote.Change
	Connection         = remote.Connection
	ConnectionState    = remote.ConnectionState
	SessionInfo        = remote.SessionInfo
	Reason             = remote.Reason
	ReasonKind         = remote.ReasonKind
	SessionView        = remote.SessionView
	AnnotationChange   = remote.AnnotationChange
	ChangesetView      = remote.ChangesetView
	Baseline           = remote.Baseline
	ConnectionChanged  = remote.ConnectionChanged
	CaughtUp           = remote.CaughtUp
	SessionsChanged    = remote.SessionsChanged
	SessionChanged     = remote.SessionChanged
	AnnotationsChanged = remote.AnnotationsChanged
	ChangesetChanged   = remote.ChangesetChanged
	Rejected           = remote.Rejected
	Confirmed          = remote.Confirmed
	Notice             = remote.Notice
	NoticeSeverity     = remote.NoticeSeverity
	ChatChanged        = remote.ChatChanged
	RequestsChanged    = remote.RequestsChanged
	Request            = remote.Request
	AnnotationsLost    = remote.AnnotationsLost
	OutageChanged      = remote.OutageChanged
	Outage             = remote.Outage
)

// The values of package remote.
const (
	Searching    = remote.Searching
	Connecting   = remote.Connecting
	Connected    = remote.Connected
	Disconnected = remote.Disconnected

	NoticeInfo    = remote.NoticeInfo
	NoticeWarning = remote.NoticeWarning
	NoticeError   = remote.NoticeError

	KindSession     = remote.KindSession
	KindTurn        = remote.KindTurn
	KindUncommitted = remote.KindUncommitted
	KindBranch      = remote.KindBranch
	KindStaged      = remote.KindStaged
	KindPatchset    = remote.KindPatchset

	ReasonNone        = remote.ReasonNone
	ReasonUnknown     = remote.ReasonUnknown
	ReasonDeleted     = remote.ReasonDeleted
	ReasonTooLarge    = remote.ReasonTooLarge
	ReasonNotComputed = remote.ReasonNotComputed
	ReasonArchived    = remote.ReasonArchived
	ReasonNewer       = remote.ReasonNewer
	ReasonNoRoot      = remote.ReasonNoRoot
	ReasonNoFolder    = remote.ReasonNoFolder
	ReasonElsewhere   = remote.ReasonElsewhere
	ReasonMissing     = remote.ReasonMissing
	ReasonNotFile     = remote.ReasonNotFile
)
