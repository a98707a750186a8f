package remote

import "fmt"

// Reason is why a session, or one of its channels, is not followed. The zero
// Reason is none. It is a value to decide by; String is its sentence for people.
type Reason struct {
	Kind ReasonKind
	// Folder is the working directory that Kind is about: a path on this
	// machine, or the host's URI where it is no file. "" for the other kinds.
	Folder string
}

// ReasonKind tells the reasons apart.
type ReasonKind int

// The kinds of reasons.
const (
	ReasonNone        ReasonKind = iota
	ReasonUnknown                // the host does not know it
	ReasonDeleted                // it was deleted on the host
	ReasonTooLarge               // its snapshot is over the read limit
	ReasonNotComputed            // the host did not compute the changeset in time
	ReasonArchived               // the session is archived
	ReasonNewer                  // newer sessions use up Config.MaxSessions
	ReasonNoRoot                 // the workspace has no folder
	ReasonNoFolder               // the session has no working directory
	ReasonElsewhere              // it works in Folder, which is not in the workspace
	ReasonMissing                // it works in Folder, which should be in the workspace and does not exist
	ReasonNotFile                // it works in Folder, which is not a file path
)

// Elsewhere reports whether the session works on other files than the
// workspace's: to select it would show nothing.
func (r Reason) Elsewhere() bool {
	return r.Kind == ReasonElsewhere || r.Kind == ReasonMissing || r.Kind == ReasonNotFile
}

// String says why, and what to do; "" for no reason.
func (r Reason) String() string {
	switch r.Kind {
	case ReasonUnknown:
		return "the host does not know it (any more)"
	case ReasonDeleted:
		return "it was deleted on the host"
	case ReasonTooLarge:
		return "it is larger than the read limit; raise the setting readLimit to see it"
	case ReasonNotComputed:
		return "it was not computed in time"
	case ReasonArchived:
		return "it is archived"
	case ReasonNewer:
		return "newer sessions are followed; select it to see it"
	case ReasonNoRoot:
		return "no folder is open in the editor"
	case ReasonNoFolder:
		return "it has no working directory"
	case ReasonElsewhere:
		return fmt.Sprintf("it works in %s; open that folder to review it", r.Folder)
	case ReasonMissing:
		return fmt.Sprintf("it works in %s, which is not on this machine; if it is the same folder under another name, add it to the setting pathMap", r.Folder)
	case ReasonNotFile:
		return fmt.Sprintf("it works in %s, which is not a file path", r.Folder)
	}
	return ""
}

// MarshalText is String, so that JSON shows the sentence.
func (r Reason) MarshalText() ([]byte, error) { return []byte(r.String()), nil }
