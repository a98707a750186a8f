package bridge

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/ahptest"
)

const operations = `,"operations":[
	{"id":"discard","label":"Discard","scopes":["resource"],"status":"idle","confirmation":"Really?"},
	{"id":"commit","label":"Commit","scopes":["changeset"],"status":"idle"},
	{"id":"sync","label":"Sync","scopes":["changeset"],"status":"disabled"}]}`

func operable(t *testing.T, test func(t *testing.T, h *ahptest.Host, r *rig)) {
	t.Helper()
	withCatalogue(t, []ahp.CatalogueEntry{{Kind: "uncommitted"}}, func(t *testing.T, h *ahptest.Host, start func() *rig) {
		h.SetChangeset(cs+"uncommitted", `{"status":"ready","files":[`+file("a")+`]`+operations)
		r := start()
		r.take()
		test(t, h, r)
	})
}

func TestInvoke(t *testing.T) {
	operable(t, func(t *testing.T, h *ahptest.Host, r *rig) {
		var got ahp.InvokeParams
		h.OnInvoke(func(p ahp.InvokeParams) (ahp.InvokeResult, *ahp.Error) {
			got = p
			text := ahp.Plain("done")
			return ahp.InvokeResult{Message: &text}, nil
		})
		target := &ahp.OperationTarget{Kind: "resource", Resource: "a", Side: "after"}
		result, err := r.c.Invoke(t.Context(), cs+"uncommitted", "discard", target)
		require.NoError(t, err)
		require.Equal(t, "done", result.Message.Value)
		require.Equal(t, ahp.InvokeParams{Channel: cs + "uncommitted", OperationID: "discard", Target: target}, got)
		var states []string
		for _, ch := range these[ChangesetChanged](r.take()) {
			states = append(states, ch.View.State.Operations[0].Status)
		}
		require.Equal(t, []string{"running", "idle"}, states)

		_, err = r.c.Invoke(t.Context(), cs+"uncommitted", "commit", nil)
		require.NoError(t, err)
		require.Nil(t, got.Target)
		require.JSONEq(t, `{"channel":"`+cs+`uncommitted","operationId":"commit"}`, string(sent(h, "invokeChangesetOperation")[1]))
	})
}

func TestInvokeErrors(t *testing.T) {
	operable(t, func(t *testing.T, h *ahptest.Host, r *rig) {
		h.OnInvoke(func(ahp.InvokeParams) (ahp.InvokeResult, *ahp.Error) {
			return ahp.InvokeResult{}, &ahp.Error{Code: ahp.CodeInternal, Message: "untracked\n    at x.js:1"}
		})
		for _, tc := range []struct {
			operation string
			target    *ahp.OperationTarget
			code      int
			text      string
		}{
			{"discard", &ahp.OperationTarget{Kind: "resource", Resource: "a"}, ahp.CodeInternal, "operation discard: invokeChangesetOperation: untracked (-32603)"},
			{"nope", nil, ahp.CodeInvalidParams, "Unknown operation"},
			{"discard", nil, ahp.CodeInvalidParams, "scope 'changeset'"},
			{"sync", nil, ahp.CodeInvalidParams, "disabled"},
		} {
			_, err := r.c.Invoke(t.Context(), cs+"uncommitted", tc.operation, tc.target)
			require.True(t, ahp.Is(err, tc.code), "%v", err)
			require.ErrorContains(t, err, tc.text)
			require.NotContains(t, err.Error(), "x.js")
		}
		_, err := r.c.Invoke(t.Context(), "ahp-x:/changeset/y", "commit", nil)
		require.True(t, ahp.Is(err, ahp.CodeNoSession))
	})
}

// Hooks may take minutes; only the caller gives up, and others go on meanwhile.
func TestInvokeTakesLong(t *testing.T) {
	operable(t, func(t *testing.T, h *ahptest.Host, r *rig) {
		h.SetContent("x:/1", "content")
		h.OnInvoke(func(ahp.InvokeParams) (ahp.InvokeResult, *ahp.Error) {
			time.Sleep(10 * time.Minute)
			return ahp.InvokeResult{}, nil
		})
		began, outcome := time.Now(), make(chan error, 1)
		go func() {
			_, err := r.c.Invoke(t.Context(), cs+"uncommitted", "commit", nil)
			outcome <- err
		}()
		synctest.Wait()
		require.Equal(t, "content", string(must(r.c.Read(t.Context(), ahp.ContentRef{URI: "x:/1"}))))
		require.NoError(t, <-outcome)
		require.Equal(t, 10*time.Minute, time.Since(began))

		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		_, err := r.c.Invoke(ctx, cs+"uncommitted", "commit", nil)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		time.Sleep(time.Hour)
		require.Empty(t, r.log.text(), "the late answer is nothing to complain about")
	})
}

func TestInvokeLosesConnection(t *testing.T) {
	operable(t, func(t *testing.T, h *ahptest.Host, r *rig) {
		h.OnInvoke(func(ahp.InvokeParams) (ahp.InvokeResult, *ahp.Error) {
			h.DropConnections()
			return ahp.InvokeResult{}, nil
		})
		_, err := r.c.Invoke(t.Context(), cs+"uncommitted", "commit", nil)
		require.ErrorIs(t, err, ErrDisconnected)
		synctest.Wait()
		_, err = r.c.Invoke(t.Context(), cs+"uncommitted", "commit", nil)
		require.Error(t, err)
		require.Len(t, sent(h, "invokeChangesetOperation"), 1, "it is not sent again: it may have run")
	})
}

// It has run all the same: what it says of itself can be odd.
func TestInvokeOddAnswer(t *testing.T) {
	operable(t, func(t *testing.T, h *ahptest.Host, r *rig) {
		h.Intercept(func(method string, _ jsonRaw) (any, *ahp.Error, bool) {
			return map[string]any{"message": 5, "followUp": "x"}, nil, method == "invokeChangesetOperation"
		})
		_, err := r.c.Invoke(t.Context(), cs+"uncommitted", "commit", nil)
		require.NoError(t, err)
	})
}
