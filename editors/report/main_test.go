package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReport(t *testing.T) {
	said := strings.Join([]string{
		`{"ImportPath":"p/broken","Action":"build-output","Output":"broken.go:1: no\n"}`,
		`{"Action":"start","Package":"p"}`,
		`{"Action":"output","Package":"p","Test":"TestGood","Output":"=== RUN   TestGood\n"}`,
		`{"Action":"output","Package":"p","Test":"TestGood","Output":"    p_test.go:3: a detail\n"}`,
		`{"Action":"pass","Package":"p","Test":"TestGood"}`,
		`{"Action":"output","Package":"p","Test":"TestSkipped","Output":"=== RUN   TestSkipped\n"}`,
		`{"Action":"output","Package":"p","Test":"TestSkipped","Output":"    p_test.go:9: there is no network: none\n"}`,
		`{"Action":"output","Package":"p","Test":"TestSkipped","Output":"--- SKIP: TestSkipped (0.00s)\n"}`,
		`{"Action":"skip","Package":"p","Test":"TestSkipped"}`,
		`{"Action":"output","Package":"p","Test":"TestBad","Output":"    p_test.go:5: it is 2\n"}`,
		`{"Action":"output","Package":"p","Test":"TestBad","Output":"--- FAIL: TestBad (0.00s)\n"}`,
		`{"Action":"fail","Package":"p","Test":"TestBad"}`,
		`{"Action":"output","Package":"p","Output":"FAIL\n"}`,
		`{"Action":"output","Package":"p","Output":"FAIL\tp\t0.1s\n"}`,
		`{"Action":"fail","Package":"p"}`,
		`{"Action":"output","Package":"q","Output":"?   \tq\t[no test files]\n"}`,
		`{"Action":"skip","Package":"q"}`,
		`{"Action":"output","Package":"r","Output":"PASS\n"}`,
		`{"Action":"output","Package":"r","Output":"ok  \tr\t0.1s\n"}`,
		`not JSON`,
	}, "\n")
	var out, skipped strings.Builder
	require.NoError(t, report(strings.NewReader(said), &out, &skipped))
	require.Equal(t, "broken.go:1: no\n    p_test.go:5: it is 2\n--- FAIL: TestBad (0.00s)\nFAIL\nFAIL\tp\t0.1s\n?   \tq\t[no test files]\nok  \tr\t0.1s\nnot JSON", out.String())
	require.Equal(t, "TestSkipped in p: there is no network: none\n", skipped.String())
}
