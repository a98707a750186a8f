package workspace

import (
	"ahp-lsp/bridge/ahp"
	"ahp-lsp/mapping"
)

// Effect is something that has to be done outside: slowly, elsewhere, and with an
// event as its outcome where one is named.
type Effect interface{ effect() }

// ReadDisk wants the file read. Its outcome is DiskRead, always.
type ReadDisk struct{ File *File }

// LoadChange wants both sides of a change read and compared. Its outcome is
// ChangeLoaded with the same Load.
type LoadChange struct {
	Change *Change
	Load   int // which load of the change this is
	Entry  *ahp.ChangesetFile
}

// ReadTurn wants the text of a file as a turn left it. Its outcome is TurnRead
// with the same members.
type ReadTurn struct {
	File          *File
	Session, Turn string
	Resource      string // the host's name of the file
	Epoch         int
}

// FindOrigins wants the turns found that wrote a change's hunks. Its outcome is
// OriginsFound with the same Origins.
type FindOrigins struct {
	Change   *Change
	Origins  *Origins
	Content  *mapping.FileChange
	Session  string
	Resource string   // the host's name of the file
	Turns    []string // ids of the turns to look at, newest first
}

// ReadAnchors wants what is stored of the comments of a session. Its outcome is
// AnchorsRead.
type ReadAnchors struct{ Session string }

// WriteAnchors wants what changed stored. Its outcome is AnchorsWritten.
type WriteAnchors struct {
	Session string
	Set     map[string]StoredAnchor  // by annotation
	Forget  []string                 // annotations
	Texts   map[string]*mapping.Text // those that Set names, by their SHA-256 in hexadecimal
}

// ReadKept wants to know which hunks of a session were kept before. Its outcome
// is KeptRead.
type ReadKept struct{ Scope string }

// WriteKept wants stored what was kept or given up. Its outcome is KeptWritten.
type WriteKept struct{ Changes KeptScopes }

// WaitForTurns wants TurnsOverdue applied when the session's turns were waited
// for long enough.
type WaitForTurns struct{ Session *Session }

// SendMove wants the host told where a comment is. Its outcome, if the host's
// client took it, is ThreadMoved.
type SendMove struct{ Move Move }

func (ReadDisk) effect()     {}
func (LoadChange) effect()   {}
func (ReadTurn) effect()     {}
func (FindOrigins) effect()  {}
func (ReadAnchors) effect()  {}
func (WriteAnchors) effect() {}
func (ReadKept) effect()     {}
func (WriteKept) effect()    {}
func (WaitForTurns) effect() {}
func (SendMove) effect()     {}
