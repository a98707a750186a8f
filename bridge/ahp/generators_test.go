package ahp

import (
	"encoding/json"
	"maps"
	"slices"

	"pgregory.net/rapid"
)

// Generators of wire values, as maps that encoding/json writes. Names and ids
// come from small sets, so that actions meet what is there.

type values = map[string]any

var (
	genID   = rapid.SampledFrom([]string{"a", "b", "c", "d", "e"})
	genText = rapid.OneOf(rapid.SampledFrom([]string{"", "x", "a < b && c", "ü𝄞\u2028\n\t\"\\"}), rapid.String())
	genURI  = rapid.SampledFrom([]string{"file:///w/a.go", "file:///w/b%20c.go", "/w/plain.go", "git-blob:/x?%7B%7D"})
	// Names that this package knows somewhere, and some that nobody does.
	genName = rapid.OneOf(rapid.SampledFrom([]string{
		"id", "turnId", "origin", "session", "chat", "resource", "range", "start", "end", "line", "character",
		"resolved", "entries", "text", "markdown", "_meta", "annotation", "annotationId", "entry", "entryId",
		"annotations", "status", "error", "errorType", "message", "files", "file", "fileId", "fileIds", "edit",
		"before", "after", "uri", "content", "diff", "added", "removed", "reviewed", "operations", "operationId",
		"label", "scopes", "confirmation", "title", "lifecycle", "chats", "changesets", "uriTemplate", "capabilities",
		"review", "workingDirectory", "workingDirectories", "directory", "replacement", "changes", "summary",
		"turns", "activeTurn", "startedAt", "modifiedAt", "project", "clientId", "clientSeq", "serverSeq",
	}), rapid.String())
)

// genJSON draws any JSON value, depth levels deep.
func genJSON(depth int) *rapid.Generator[any] {
	leaf := []*rapid.Generator[any]{
		rapid.Just[any](nil),
		rapid.Bool().AsAny(),
		genText.AsAny(),
		rapid.OneOf(rapid.Float64Range(-1e6, 1e6), rapid.SampledFrom([]float64{0, -1, 1.5, 1e9, -1e300, 1e300})).AsAny(),
		genID.AsAny(),
	}
	if depth > 0 {
		leaf = append(leaf,
			rapid.SliceOfN(genJSON(depth-1), 0, 4).AsAny(),
			rapid.MapOfN(genName, genJSON(depth-1), 0, 5).AsAny())
	}
	return rapid.OneOf(leaf...)
}

// genObject draws any JSON object.
func genObject(depth int) *rapid.Generator[values] {
	return rapid.MapOfN(genName, genJSON(depth), 0, 6)
}

// withUnknown adds members that this package does not know.
func withUnknown(t *rapid.T, v values) values {
	for k, x := range rapid.MapOfN(rapid.StringMatching(`x[a-zé"]{0,4}`), genJSON(2), 0, 2).Draw(t, "unknown") {
		v[k] = x
	}
	return v
}

func maybe(t *rapid.T, v values, key string, draw func() any) {
	if rapid.Bool().Draw(t, "has "+key) {
		v[key] = draw()
	}
}

func genRange(t *rapid.T) values {
	position := func(name string) values {
		n := rapid.IntRange(-3, 2000)
		return withUnknown(t, values{"line": n.Draw(t, name+" line"), "character": n.Draw(t, name+" character")})
	}
	return withUnknown(t, values{"start": position("start"), "end": position("end")})
}

func genWireText(t *rapid.T) any {
	s := genText.Draw(t, "text")
	if rapid.Bool().Draw(t, "markdown") {
		return withUnknown(t, values{"markdown": s})
	}
	return s
}

func genOrigin(t *rapid.T) values {
	v := values{"session": genURI.Draw(t, "session")}
	maybe(t, v, "chat", func() any { return genText.Draw(t, "chat") })
	maybe(t, v, "turnId", func() any { return genText.Draw(t, "turn") })
	return withUnknown(t, v)
}

func genEntry(t *rapid.T) values {
	v := values{"id": genID.Draw(t, "entry"), "text": genWireText(t)}
	maybe(t, v, "_meta", func() any { return genObject(2).Draw(t, "_meta") })
	return withUnknown(t, v)
}

// genAnnotation draws an annotation that has no faults.
func genAnnotation(t *rapid.T) values {
	v := values{"id": genID.Draw(t, "id"), "resource": genURI.Draw(t, "resource"), "resolved": rapid.Bool().Draw(t, "resolved")}
	entries := []any{}
	for range rapid.IntRange(1, 3).Draw(t, "entries") {
		entries = append(entries, genEntry(t))
	}
	v["entries"] = entries
	maybe(t, v, "turnId", func() any { return genText.Draw(t, "turn") })
	maybe(t, v, "origin", func() any { return genOrigin(t) })
	maybe(t, v, "range", func() any { return genRange(t) })
	maybe(t, v, "_meta", func() any { return genObject(2).Draw(t, "_meta") })
	return withUnknown(t, v)
}

func genAnnotationAction(t *rapid.T) values {
	v := values{"annotationId": genID.Draw(t, "annotation")}
	switch kind := rapid.SampledFrom([]string{
		TypeAnnotationsSet, TypeAnnotationsUpdated, TypeAnnotationsRemoved, TypeAnnotationsEntrySet, TypeAnnotationsEntryRemoved,
	}).Draw(t, "type"); kind {
	case TypeAnnotationsSet:
		v = values{"type": kind, "annotation": genAnnotation(t)}
	case TypeAnnotationsUpdated:
		v["type"] = kind
		maybe(t, v, "turnId", func() any { return genText.Draw(t, "turn") })
		maybe(t, v, "origin", func() any { return genOrigin(t) })
		maybe(t, v, "resource", func() any { return genURI.Draw(t, "resource") })
		maybe(t, v, "range", func() any { return genRange(t) })
		maybe(t, v, "resolved", func() any { return rapid.Bool().Draw(t, "resolved") })
	case TypeAnnotationsRemoved:
		v["type"] = kind
	case TypeAnnotationsEntrySet:
		v["type"], v["entry"] = kind, genEntry(t)
	case TypeAnnotationsEntryRemoved:
		v["type"], v["entryId"] = kind, genID.Draw(t, "entry")
	}
	return v
}

func genFile(t *rapid.T) values {
	side := func(name string) any {
		return values{"uri": genURI.Draw(t, name), "content": values{"uri": genURI.Draw(t, name+" content"), "sizeHint": 5e9}}
	}
	edit := values{}
	maybe(t, edit, "before", func() any { return side("before") })
	maybe(t, edit, "after", func() any { return side("after") })
	maybe(t, edit, "diff", func() any { return values{"added": 1, "removed": 0} })
	v := values{"id": genID.Draw(t, "file"), "edit": edit}
	maybe(t, v, "reviewed", func() any { return rapid.Bool().Draw(t, "reviewed") })
	maybe(t, v, "_meta", func() any { return genObject(1).Draw(t, "_meta") })
	return withUnknown(t, v)
}

func genFiles(t *rapid.T) []any {
	files := []any{}
	for range rapid.IntRange(0, 4).Draw(t, "files") {
		files = append(files, genFile(t))
	}
	return files
}

func genOperations(t *rapid.T) []any {
	ops := []any{}
	for _, id := range rapid.SliceOfNDistinct(genID, 0, 3, rapid.ID).Draw(t, "operations") {
		v := values{"id": id, "label": genText.Draw(t, "label"), "scopes": []string{ScopeResource}, "status": OperationIdle}
		maybe(t, v, "confirmation", func() any { return genWireText(t) })
		ops = append(ops, withUnknown(t, v))
	}
	return ops
}

func genChangesetAction(t *rapid.T) values {
	v := values{"type": rapid.SampledFrom([]string{
		TypeChangesetStatusChanged, TypeChangesetFileSet, TypeChangesetFileRemoved, TypeChangesetFilesReviewChanged,
		TypeChangesetContentChanged, TypeChangesetOperationsChanged, TypeChangesetOperationStatusChanged, TypeChangesetCleared,
	}).Draw(t, "type")}
	switch v["type"] {
	case TypeChangesetStatusChanged:
		v["status"] = rapid.SampledFrom([]string{ChangesetComputing, ChangesetReady, ChangesetError}).Draw(t, "status")
		maybe(t, v, "error", func() any { return values{"errorType": "e", "message": "m"} })
	case TypeChangesetFileSet:
		v["file"] = genFile(t)
	case TypeChangesetFileRemoved:
		v["fileId"] = genID.Draw(t, "file")
	case TypeChangesetFilesReviewChanged:
		v["files"], v["reviewed"] = rapid.SliceOfN(genID, 0, 4).Draw(t, "files"), rapid.Bool().Draw(t, "reviewed")
	case TypeChangesetContentChanged:
		v["files"] = genFiles(t)
		maybe(t, v, "operations", func() any { return genOperations(t) })
	case TypeChangesetOperationsChanged:
		maybe(t, v, "operations", func() any { return genOperations(t) })
	case TypeChangesetOperationStatusChanged:
		v["operationId"], v["status"] = genID.Draw(t, "operation"), rapid.SampledFrom([]string{OperationIdle, OperationError}).Draw(t, "status")
	}
	return v
}

// genChatAction draws any chat/* action; most are about the turn and the call
// that are active.
func genChatAction(t *rapid.T) values {
	kinds := slices.Sorted(maps.Keys(chatReducers))
	v := values{"type": rapid.SampledFrom(kinds).Draw(t, "type"), "message": values{"text": genText.Draw(t, "text")}}
	if v["type"] != TypeChatTruncated || rapid.Bool().Draw(t, "names a turn") {
		v["turnId"] = rapid.OneOf(rapid.Just("c"), genID).Draw(t, "turn")
	}
	v["turns"] = []any{values{"id": genID.Draw(t, "older")}, values{"id": genID.Draw(t, "older")}}
	v["toolCallId"], v["partId"], v["id"] = genID.Draw(t, "call"), genID.Draw(t, "part"), genID.Draw(t, "id")
	v["requestId"], v["questionId"] = genID.Draw(t, "form"), genID.Draw(t, "question")
	v["answer"], v["response"], v["approved"] = values{"state": "skipped"}, "accept", rapid.Bool().Draw(t, "approved")
	v["kind"] = rapid.SampledFrom([]string{PendingSteering, PendingQueued}).Draw(t, "kind")
	v["order"] = rapid.SliceOfN(genID, 0, 4).Draw(t, "order")
	v["request"] = values{"id": v["requestId"], "questions": []any{values{"id": "q", "kind": "text", "message": "?"}}}
	v["part"] = values{"kind": rapid.SampledFrom([]string{PartMarkdown, PartReasoning, "new"}).Draw(t, "part kind"), "id": v["partId"], "content": "x"}
	v["usage"] = values{"model": genText.Draw(t, "model")}
	maybe(t, v, "content", func() any { return "y" })
	maybe(t, v, "confirmed", func() any { return "setting" })
	maybe(t, v, "result", func() any {
		return values{"success": true, "content": []any{values{"type": "fileEdit", "after": values{"uri": "file:///a"}}}}
	})
	maybe(t, v, "queuedMessageId", func() any { return genID.Draw(t, "queued") })
	return v
}

func toAction(t rapidT, v values) (a Action) {
	if err := json.Unmarshal(toJSON(t, v), &a); err != nil {
		t.Fatalf("%v", err)
	}
	return a
}

type rapidT interface {
	Fatalf(format string, args ...any)
}

func toJSON(t rapidT, v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return data
}
