//go:build !windows

package localsocket

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNoPipesElsewhere(t *testing.T) {
	_, err := Dial(t.Context(), "unix", `\\.\pipe\a`)
	require.ErrorIs(t, err, errNoPipes)
	_, err = Listen(`\\.\pipe\a`)
	require.ErrorIs(t, err, errNoPipes)
}
