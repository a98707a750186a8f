package view

import (
	"testing"

	"github.com/stretchr/testify/require"

	"ahp-lsp/mapping"
)

func TestWanted(t *testing.T) {
	for _, c := range []struct {
		only []string
		want []bool // thread, change, commit
	}{
		{nil, []bool{true, true, true}},
		{[]string{""}, []bool{true, true, true}},
		{[]string{"quickfix"}, []bool{true, false, false}},
		{[]string{"refactor"}, []bool{false, true, false}},
		{[]string{"refactor.rewrite"}, []bool{false, true, false}},
		{[]string{"refactor.extract"}, []bool{false, false, false}},
		{[]string{"source"}, []bool{false, false, true}},
		{[]string{"source.ahp"}, []bool{false, false, true}},
		{[]string{"source.ahp.commit"}, []bool{false, false, true}},
		{[]string{"source.ahp.com"}, []bool{false, false, false}},
		{[]string{"source.fixAll", "quickfix"}, []bool{true, false, false}},
	} {
		for i, kind := range []string{KindThread, KindChange, KindSource + ".commit"} {
			require.Equal(t, c.want[i], Wanted(c.only, kind), "%q %s", c.only, kind)
		}
	}
	require.Equal(t, "create-pr--2", kindWord("create pr: 2"))
}

// Actions on a selection name it as those on a hunk do.
func TestLinesLabel(t *testing.T) {
	require.Equal(t, "line 6", linesLabel(mapping.LineRange{Start: 5, End: 6}))
	require.Equal(t, "lines 6–7", linesLabel(mapping.LineRange{Start: 5, End: 7}))
}
