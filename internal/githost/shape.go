package githost

import (
	"encoding/json"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/githost/wire"
)

// shape is what the protocol versions differ in, on what this host sends. The
// host keeps everything in the newest shape and changes it on the way out.
type shape int

const (
	// shapeFileIDs: before 0.6 reviewed flags travel as filesReviewedChanged
	// with fileIds.
	shapeFileIDs shape = iota
	// shapeOneDirectory: before 0.7 a session has one workingDirectory.
	shapeOneDirectory
	// shapeTurnID: before 0.9 an annotation has a turnId.
	shapeTurnID
	// shapeOrigin is the newest: an annotation has an origin.
	shapeOrigin

	shapes = iota
)

// shapeOf is the shape that a version has.
func shapeOf(version string) shape {
	switch older := func(v string) bool { return ahp.CompareVersions(version, v) < 0 }; {
	case older("0.6.0"):
		return shapeFileIDs
	case older("0.7.0"):
		return shapeOneDirectory
	case older("0.9.0"):
		return shapeTurnID
	}
	return shapeOrigin
}

// session returns a session, or its summary, as a version has it.
func (s shape) session(m map[string]any) map[string]any {
	if dirs, ok := m["workingDirectories"].([]string); ok && s < shapeTurnID {
		delete(m, "workingDirectories")
		m["workingDirectory"] = dirs[0]
	}
	return m
}

// annotation returns a as a version has it. The newest shape is the one kept.
func (s shape) annotation(a *ahp.Annotation) *ahp.Annotation {
	if s >= shapeOrigin {
		return a
	}
	turn := a.Turn()
	c := a.Clone()
	c.TurnID, c.Origin = &turn, nil
	return c
}

// action returns an action as a version has it.
func (s shape) action(a ahp.Action) ahp.Action {
	switch {
	case s < shapeOrigin && a.Type == ahp.TypeAnnotationsSet:
		m := wire.Parse(a.Raw)
		if an, _ := ahp.DecodeAnnotation(m["annotation"]); an != nil {
			if b, err := ahp.SetAnnotation(s.annotation(an)); err == nil {
				return b
			}
		}
	case s < shapeOrigin && a.Type == ahp.TypeAnnotationsUpdated:
		m := wire.Parse(a.Raw)
		var o ahp.Origin
		if raw, ok := m["origin"]; ok && json.Unmarshal(raw, &o) == nil {
			return rewritten(a, "origin", "turnId", o.TurnID)
		}
	case s < shapeOneDirectory && a.Type == ahp.TypeChangesetFilesReviewChanged:
		b := rewritten(a, "files", "fileIds", wire.Parse(a.Raw)["files"])
		b.Type = ahp.TypeChangesetFilesReviewedChanged
		b.Raw = wire.With(b.Raw, "type", b.Type)
		return b
	}
	return a
}

// rewritten returns an action with one member in the place of another.
func rewritten(a ahp.Action, old, key string, value any) ahp.Action {
	a.Raw = wire.With(wire.With(a.Raw, old, nil), key, value)
	return a
}

// received returns a client's action in the newest shape.
func received(a ahp.Action) ahp.Action {
	switch a.Type {
	case ahp.TypeChangesetFilesReviewedChanged:
		m := wire.Parse(a.Raw)
		if ids, ok := m["fileIds"]; ok {
			a = rewritten(a, "fileIds", "files", ids)
		}
		a.Type = ahp.TypeChangesetFilesReviewChanged
		a.Raw = wire.With(a.Raw, "type", a.Type)
	case ahp.TypeAnnotationsUpdated:
		m := wire.Parse(a.Raw)
		var turn string
		if raw, ok := m["turnId"]; ok && json.Unmarshal(raw, &turn) == nil {
			if _, has := m["origin"]; has {
				a.Raw = wire.With(a.Raw, "turnId", nil)
			} else {
				a = rewritten(a, "turnId", "origin", ahp.Origin{TurnID: turn})
			}
		}
	}
	return a
}
