package ahp

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSessionNotes(t *testing.T) {
	for meta, want := range map[string]SessionNotes{
		``:     {},
		`null`: {},
		`[]`:   {},
		`{"notice":"Look.","ahp-lsp":{"baseline":"uncommitted","more":1}}`: {Notice: "Look.", Baseline: "uncommitted", Embedded: true},
		`{"notice":7,"ahp-lsp":{"baseline":"uncommitted"}}`:                {Baseline: "uncommitted", Embedded: true},
		`{"notice":"Look.","ahp-lsp":"x"}`:                                 {Notice: "Look."},
		`{"notice":"Look.","ahp-lsp":{"baseline":{}}}`:                     {Notice: "Look.", Embedded: true},
	} {
		require.Equal(t, want, (&Session{Meta: []byte(meta)}).Notes(), meta)
	}
}

func TestOtherBranch(t *testing.T) {
	for meta, want := range map[string]struct {
		branch string
		other  bool
	}{
		``:                                  {"", false},
		`{"ahp-lsp":{"branch":"feature"}}`:  {"", false},
		`{"x":"otherBranch"}`:               {"", false},
		`{"ahp-lsp":{"otherBranch":"yes"}}`: {"", false},
		`{"ahp-lsp":{"branch":"feature","otherBranch":false}}`: {"feature", false},
		`{"ahp-lsp":{"branch":"feature","otherBranch":true}}`:  {"feature", true},
		`{"ahp-lsp":{"otherBranch":true}}`:                     {"", true},
	} {
		branch, other := (&Annotation{Meta: []byte(meta)}).OtherBranch()
		require.Equal(t, want.branch, branch, meta)
		require.Equal(t, want.other, other, meta)
	}
}
