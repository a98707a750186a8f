package ahp

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Newer hosts and drafts send members, enum values and actions that this
// package does not know. FuzzUnknown puts random ones into the recorded
// conversations and requires the view to stay the same.
func FuzzUnknown(f *testing.F) {
	conversations := [][]frame{transcript(f, recordedHost), transcript(f, recordedPerson)}
	var plain []string
	for _, frames := range conversations {
		plain = append(plain, viewOf(f, frames, nil))
	}
	for seed := range uint64(6) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		for i, frames := range conversations {
			d := &draft{rand.New(rand.NewPCG(seed, uint64(i)))}
			got := viewOf(t, frames, d)
			if at := difference(plain[i], got); at >= 0 {
				t.Fatalf("conversation %d at %d:\n%s\n%s", i, at, excerpt(plain[i], at), excerpt(got, at))
			}
		}
	})
}

// difference is where two texts differ first, -1 if they do not: they are long.
func difference(a, b string) int {
	if a == b {
		return -1
	}
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func excerpt(s string, at int) string { return s[max(0, at-200):min(len(s), at+200)] }

// viewOf replays what the host sent and returns every state on the way out, as
// readers see it. d, if not nil, changes each message first.
func viewOf(t testing.TB, frames []frame, d *draft) string {
	type key struct{ conn, channel string }
	mirrors, order := map[key]*mirrored{}, []key{}
	asked := map[string]string{} // conn and id → method
	var out bytes.Buffer
	take := func(conn string, s Snapshot) {
		k, kind := key{conn, s.Resource}, channelKind(s.Resource)
		if kind == "" {
			return
		}
		if mirrors[k] == nil {
			order = append(order, k)
		}
		mirrors[k], _ = decodeMirror(kind, s.State)
		mirrors[k].seq = s.FromSeq
	}
	for _, f := range frames {
		m, _ := DecodeMessage(f.Msg) // some frames are notes
		if f.Dir == "send" {
			asked[f.Conn+string(m.ID)] = m.Method
			continue
		}
		if d != nil {
			var err error
			m, err = DecodeMessage(d.message(f.Msg))
			require.NoError(t, err)
		}
		switch {
		case m.Method == "action":
			e, _ := DecodeEnvelope(m.Params)
			mirror := mirrors[key{f.Conn, e.Channel}]
			if mirror == nil || e.RejectionReason != "" || e.ServerSeq <= mirror.seq {
				continue
			}
			if d != nil {
				_ = mirror.apply(d.action(mirror.kind))
			}
			_ = mirror.apply(e.Action)
			mirror.seq = e.ServerSeq
		case m.Method == NoteSessionAdded:
			var p struct{ Summary json.RawMessage }
			require.NoError(t, json.Unmarshal(m.Params, &p))
			s, _ := DecodeSessionSummary(p.Summary)
			fmt.Fprintln(&out, seen(s), s.Directories())
		case m.Error != nil:
			fmt.Fprintln(&out, m.Error.Code, m.Error.Error(), m.Error.SupportedVersions())
		case m.Result != nil:
			switch asked[f.Conn+string(m.ID)] {
			case "initialize":
				var r InitializeResult
				require.NoError(t, json.Unmarshal(m.Result, &r))
				fmt.Fprintln(&out, r.ProtocolVersion, r.ServerSeq)
			case "subscribe":
				r, _ := DecodeSubscribeResult(m.Result)
				take(f.Conn, *r.Snapshot)
			case "reconnect":
				var r ReconnectResult
				require.NoError(t, json.Unmarshal(m.Result, &r))
				fmt.Fprintln(&out, r.Type, r.Missing, len(r.Actions))
				for _, s := range r.Snapshots {
					take(f.Conn, s)
				}
			case "invokeChangesetOperation":
				var r InvokeResult
				require.NoError(t, json.Unmarshal(m.Result, &r))
				fmt.Fprintln(&out, seen(r))
			}
		}
	}
	for _, k := range order {
		fmt.Fprintln(&out, k, seen(mirrors[k].whole()))
	}
	return out.String()
}

// seen is a value as a reader of its exported members sees it.
func seen(v any) string {
	var out strings.Builder
	write(&out, reflect.ValueOf(v))
	return out.String()
}

func write(out *strings.Builder, v reflect.Value) {
	if !v.IsValid() {
		out.WriteString("-")
		return
	}
	switch x := v.Interface().(type) {
	case json.RawMessage:
		return // metadata as it came; see below for what is read from it
	case *Changeset:
		write(out, reflect.ValueOf(x.Files()))
	case *Annotations:
		write(out, reflect.ValueOf(slices.Collect(x.All())))
		return
	case *Annotation:
		if x != nil {
			feedback, ok := x.Feedback()
			fmt.Fprint(out, ok)
			write(out, reflect.ValueOf(feedback))
		}
	case *Session:
		fmt.Fprint(out, x.Directories(), x.Notes())
	}
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		write(out, v.Elem())
	case reflect.Struct:
		out.WriteString("{")
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() {
				out.WriteString(field.Name + ":")
				write(out, v.Field(i))
				out.WriteString(" ")
			}
		}
		out.WriteString("}")
	case reflect.Map: // of answers, as they came
		for _, key := range slices.SortedFunc(slices.Values(v.MapKeys()), func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) }) {
			out.WriteString(key.String() + ",")
		}
	case reflect.Slice, reflect.Array:
		out.WriteString("[")
		for i := range v.Len() {
			if s, ok := v.Index(i).Interface().(string); ok && strings.HasPrefix(s, unknown) {
				continue // a scope that nobody can ask for
			}
			write(out, v.Index(i))
			out.WriteString(",")
		}
		out.WriteString("]")
	default:
		fmt.Fprintf(out, "%#v", v.Interface())
	}
}

// unknown begins every name that a draft makes up.
const unknown = "x-"

// draft is a version of the protocol that nobody has seen yet.
type draft struct{ r *rand.Rand }

func (d *draft) name() string { return fmt.Sprint(unknown, d.r.IntN(5)) }

// message returns a message with what the draft adds.
func (d *draft) message(data []byte) []byte {
	in := json.NewDecoder(bytes.NewReader(data))
	in.UseNumber()
	var v any
	if err := in.Decode(&v); err != nil {
		return data
	}
	out, err := Marshal(d.extend("", v))
	if err != nil {
		panic(err)
	}
	return out
}

func (d *draft) extend(key string, v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, member := range v {
			v[k] = d.extend(k, member)
		}
		if d.r.IntN(3) == 0 && !byName[key] {
			v[d.name()] = d.value(2)
		}
		if key == "capabilities" && d.r.IntN(2) == 0 {
			v[d.name()] = map[string]any{}
		}
	case []any:
		for i := range v {
			v[i] = d.extend("", v[i])
		}
		if add := variants[key]; add != nil && d.r.IntN(2) == 0 {
			return slices.Insert(v, d.r.IntN(len(v)+1), add(d))
		}
		return v
	}
	return v
}

// byName are objects whose members are named by the host: another member is
// another thing there.
var byName = map[string]bool{"answers": true}

// variants are the arrays whose items have an open type.
var variants = map[string]func(d *draft) any{
	"scopes":        func(d *draft) any { return d.name() },
	"responseParts": func(d *draft) any { return map[string]any{"kind": d.name(), "id": d.name(), "content": d.value(1)} },
	"content":       func(d *draft) any { return map[string]any{"type": d.name(), "before": d.value(1)} },
}

// action is one that nobody knows, on a channel of the kind.
func (d *draft) action(kind string) Action {
	members := map[string]any{d.name(): d.value(2)}
	for _, known := range []string{"id", "turnId", "title", "files", "status", "annotationId", "chat", "request", "toolCallId"} {
		if d.r.IntN(3) == 0 {
			members[known] = d.value(1)
		}
	}
	a, err := newAction(kind+"/"+d.name(), members)
	if err != nil {
		panic(err)
	}
	return a
}

// value is any JSON value.
func (d *draft) value(depth int) any {
	switch n := d.r.IntN(8); {
	case n == 0:
		return nil
	case n == 1:
		return d.r.IntN(2) == 0
	case n == 2:
		return d.r.NormFloat64() * 1e6
	case n == 3 && depth > 0:
		return []any{d.value(depth - 1), d.value(depth - 1)}
	case n == 4 && depth > 0:
		return map[string]any{"id": d.value(0), "kind": d.value(0), d.name(): d.value(depth - 1)}
	}
	return d.name()
}
