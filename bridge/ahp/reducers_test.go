package ahp

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSpecificationReducers runs the specification's own reducer cases.
func TestSpecificationReducers(t *testing.T) {
	eachFile(t, "reducers", func(t *testing.T, name string) {
		var c struct {
			Description, Reducer string
			Initial, Expected    json.RawMessage
			Actions              []Action
		}
		readJSON(t, &c, "reducers", name)
		var got any
		switch c.Reducer {
		case "annotations":
			state, err := DecodeAnnotations(c.Initial)
			require.NoError(t, err)
			for _, a := range c.Actions {
				_, err := state.Apply(a)
				require.NoError(t, err)
			}
			got = state
		case "changeset":
			state, err := DecodeChangeset(c.Initial)
			require.NoError(t, err)
			for _, a := range c.Actions {
				_, _, err := state.Apply(a)
				require.NoError(t, err)
			}
			got = state
		case "session":
			state, err := DecodeSession(c.Initial)
			require.NoError(t, err)
			for _, a := range c.Actions {
				_, err := state.Apply(a)
				require.NoError(t, err)
			}
			got = state
		default:
			t.Fatalf("no reducer %q", c.Reducer)
		}
		require.JSONEq(t, string(c.Expected), mustJSON(t, got), c.Description)
	})
}

// TestSpecificationRoundTrips runs the cases of the types this package has.
func TestSpecificationRoundTrips(t *testing.T) {
	eachFile(t, "round-trips", func(t *testing.T, name string) {
		var c struct {
			Type              string
			Input             json.RawMessage
			AcceptableOutputs []json.RawMessage
		}
		readJSON(t, &c, "round-trips", name)
		var got any
		switch c.Type {
		case "ChangesetOperationTarget":
			got = new(OperationTarget)
			require.NoError(t, json.Unmarshal(c.Input, got))
		case "StateAction":
			got = new(Action)
			require.NoError(t, json.Unmarshal(c.Input, got))
			// Read and written, the catalogue in it survives too.
			var s Session
			changed, err := s.Apply(*got.(*Action))
			require.NoError(t, err)
			require.True(t, changed)
			var in, out struct{ Changesets json.RawMessage }
			require.NoError(t, json.Unmarshal(c.Input, &in))
			require.NoError(t, json.Unmarshal([]byte(mustJSON(t, &s)), &out))
			require.JSONEq(t, string(in.Changesets), string(out.Changesets))
		case "SessionAddedParams":
			// Read only: what this package takes of it.
			var params struct{ Summary json.RawMessage }
			require.NoError(t, json.Unmarshal(c.Input, &params))
			s, err := DecodeSessionSummary(params.Summary)
			require.NoError(t, err)
			require.Equal(t, "ahp-session:/s1", s.Resource)
			require.Equal(t, "New session", s.Title)
			require.Equal(t, StatusIdle, s.Status)
			require.Equal(t, int64(1704067200002), s.ModifiedAt.UnixMilli())
			return
		default:
			t.Fatalf("no type %q", c.Type)
		}
		require.Len(t, c.AcceptableOutputs, 1)
		require.JSONEq(t, string(c.AcceptableOutputs[0]), mustJSON(t, got))
	})
}
