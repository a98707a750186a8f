package ahp

import (
	"encoding/json"
	"time"
)

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
	var d decoder
	o, ok := d.object("session summary", data)
	if !ok {
		return SessionSummary{}, d.err()
	}
	return d.summary(o), d.err()
}

// Merge returns the summary with the members of a root/sessionSummaryChanged.
func (s SessionSummary) Merge(changes []byte) (SessionSummary, error) {
	var d decoder
	o, ok := d.object("session summary changes", changes)
	if !ok {
		return s, d.err()
	}
	delete(o, "resource")
	return d.summary(mergeObject(s.raw, o)), d.err()
}

func (d *decoder) summary(o object) SessionSummary {
	const path = "session summary"
	s := SessionSummary{raw: mergeObject(o, nil)}
	s.Resource = d.str(o, path, "resource")
	s.Provider = d.str(o, path, "provider")
	s.Title = d.str(o, path, "title")
	s.Status, _ = d.int(o, path, "status")
	s.ModifiedAt = d.time(o.take("modifiedAt"))
	if p, ok := d.object(path+".project", o.take("project")); ok {
		s.Project = d.str(p, path+".project", "uri")
	}
	s.dirs = directories(d.str(o, path, "workingDirectory"), d.strings(o, path, "workingDirectories"))
	return s
}

// time reads RFC 3339 or, as older versions had it, milliseconds since 1970.
func (d *decoder) time(data []byte) time.Time {
	if isNull(data) {
		return time.Time{}
	}
	var t time.Time
	if json.Unmarshal(data, &t) == nil {
		return t
	}
	var ms float64
	if json.Unmarshal(data, &ms) == nil && ms > 0 && ms < 1e15 {
		return time.UnixMilli(int64(ms)).UTC()
	}
	d.problem("modifiedAt: want a time, got %s", kindOf(data))
	return time.Time{}
}
