package ahp

import "time"

// Notifications on the root channel.
const (
	NoteSessionAdded          = "root/sessionAdded"
	NoteSessionRemoved        = "root/sessionRemoved"
	NoteSessionSummaryChanged = "root/sessionSummaryChanged"
	NoteAuthRequired          = "auth/required"
)

// RootURI is the channel of the connection itself.
const RootURI = "ahp-root://"

// SessionSummary is a session as listSessions and the root channel's
// notifications describe it.
type SessionSummary struct {
	Resource   string
	Provider   string
	Title      string
	Status     int
	ModifiedAt time.Time // zero if it could not be read
	Project    string    // URI

	dirs []string
	raw  object
}

// Directories are the working directories, URIs as the host wrote them.
func (s SessionSummary) Directories() []string { return s.dirs }

// DecodeSessionSummary reads a summary. Resource is empty if there is none.
func DecodeSessionSummary(data []byte) (SessionSummary, error) {
	return SessionSummary{}.merge("session summary", data, true)
}

// Merge returns the summary with the members of a root/sessionSummaryChanged.
func (s SessionSummary) Merge(changes []byte) (SessionSummary, error) {
	return s.merge("session summary changes", changes, false)
}

func (s SessionSummary) merge(root string, data []byte, whole bool) (SessionSummary, error) {
	if isNull(data) {
		return s, nil
	}
	d := newDecoder(root, data)
	o, read := d.rawObject()
	if !whole {
		delete(o, "resource") // what a session is called never changes
	}
	next := s
	if read {
		next = d.summary(mergeObject(s.raw, o))
	}
	ok, err := d.finish()
	if !ok {
		return s, err
	}
	return next, err
}

func (d *decoder) summary(o object) SessionSummary {
	s := SessionSummary{raw: o}
	d.with(o, "resource", func() { s.Resource = d.str() })
	d.with(o, "provider", func() { s.Provider = d.str() })
	d.with(o, "title", func() { s.Title = d.str() })
	d.with(o, "status", func() { s.Status = d.int() })
	d.with(o, "modifiedAt", func() { s.ModifiedAt = d.time() })
	d.with(o, "project", func() { s.Project = d.directory() })
	var one string
	var many []string
	d.with(o, "workingDirectory", func() { one = d.directory() })
	d.with(o, "workingDirectories", func() { many, _ = d.directories() })
	s.dirs = directories(one, many)
	return s
}

// time reads RFC 3339 or, as older versions had it, milliseconds since 1970.
func (d *decoder) time() time.Time {
	if c := d.peek(); c == '-' || '0' <= c && c <= '9' {
		ms, _ := d.optFloat()
		if ms > 0 && ms < 1e15 {
			return time.UnixMilli(int64(ms)).UTC()
		}
		d.problem("want a time, got %g", ms)
		return time.Time{}
	}
	s, ok := d.optStr()
	if !ok {
		return time.Time{}
	}
	t, err := time.Parse(time.RFC3339, s)
	if err != nil {
		d.problem("want a time, got %q", short(s))
	}
	return t
}
