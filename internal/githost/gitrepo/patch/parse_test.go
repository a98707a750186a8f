package patch

import (
	"strings"
	"testing"

	"ahp-lsp/internal/githost/gitrepo/gitfile"

	"github.com/stretchr/testify/require"
)

func TestParseRefused(t *testing.T) {
	hunk := "@@ -1 +1 @@\n-a\n+b\n"
	for name, patch := range map[string]string{
		"absolute":   "--- /etc/passwd\n+++ /etc/passwd\n" + hunk,
		"up":         "--- a/../x\n+++ b/../x\n" + hunk,
		"git up":     "diff --git a/x/../../y b/x/../../y\n--- a/x/../../y\n+++ b/x/../../y\n" + hunk,
		"rename up":  "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to ../y\n",
		"quoted up":  "--- \"a/\\056\\056/x\"\n+++ \"b/\\056\\056/x\"\n" + hunk,
		"dot git":    "--- /dev/null\n+++ b/.git/hooks/pre-commit\n@@ -0,0 +1 @@\n+a\n",
		"dot git ci": "--- /dev/null\n+++ b/sub/.GIT/config\n@@ -0,0 +1 @@\n+a\n",
	} {
		_, err := Parse([]byte(patch))
		require.ErrorIs(t, err, gitfile.ErrUnsafePath, name)
	}
	for name, patch := range map[string]string{
		"empty":        "",
		"prose":        "just some words\n",
		"short hunk":   "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n",
		"no header":    hunk,
		"bad header":   "--- a/x\n+++ b/x\n@@ -1,x +1 @@\n a\n",
		"junk in hunk": "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\nfoo\n",
		"too many":     "--- a/x\n+++ b/x\n@@ -1,1 +1,2 @@\n-a\n-a\n",
		"no hunk":      "--- a/x\n+++ b/x\n",
		"twice":        "--- a/x\n+++ b/x\n" + hunk + "--- a/x\n+++ b/x\n" + hunk,
		"nothing":      "--- /dev/null\n+++ /dev/null\n" + hunk,
		"bad mode":     "diff --git a/x b/x\nold mode 100644\nnew mode 107777\n",
		"other name":   "diff --git a/x b/x\n--- a/y\n+++ b/y\n" + hunk,
		"other names":  "diff --git a/x b/x\n--- a/x\n+++ b/y\n" + hunk,
		"not deleted":  "diff --git a/x b/x\nnew file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n",
		"huge":         "--- a/x\n+++ b/x\n@@ -1,99999999999 +1 @@\n a\n",
	} {
		_, err := Parse([]byte(patch))
		require.ErrorIs(t, err, ErrMalformed, name)
		if patch != "" && name != "prose" {
			require.Contains(t, err.Error(), "line ", name)
		}
	}
}

func TestParseForms(t *testing.T) {
	files, err := Parse([]byte(`From 0123 Mon Sep 17 00:00:00 2001
Subject: [PATCH] a mail

---
 x | 2 +-

diff --git a/x b/x
index 78981922613b2afb6025042ff6bd878ac1994e85..61780798228d17af2d34fce4cfbdf35556832472 100644
--- a/x
+++ b/x
@@ -1 +1 @@ func f() {
-a
+b
` + "-- \n2.39.5\n\n" + `diff -u old/y.c new/y.c
--- old/y.c	2020-01-01 00:00:00.000000000 +0100
+++ new/y.c	2020-01-02 00:00:00.000000000 +0100
@@ -1,3 +1,3 @@
 1

-a
+b
diff --git "a/\303\251 \"q\"" "b/\303\251 \"q\""
deleted file mode 100644
index 123..000
diff --git a/with space b/with space
old mode 100644
new mode 100755
diff --git a/m b/m
index 1234567..89abcde 160000
--- a/m
+++ b/m
@@ -1 +1 @@
-Subproject commit 1
+Subproject commit 2
`))
	require.NoError(t, err)
	require.Len(t, files, 5)
	require.Equal(t, "7898192", files[0].OldBlob[:7])
	require.Equal(t, gitfile.Modified, files[0].Kind)
	require.Equal(t, "new/y.c", files[1].Path())
	require.Equal(t, []Line{{' ', "1\n"}, {' ', "\n"}, {'-', "a\n"}, {'+', "b\n"}}, files[1].Hunks[0].Lines)
	require.Equal(t, gitfile.Deleted, files[2].Kind)
	require.Equal(t, "é \"q\"", files[2].Path())
	require.Equal(t, gitfile.ModeOnly, files[3].Kind)
	require.Equal(t, "with space", files[3].Path())
	require.Equal(t, gitfile.Submodule, files[4].Kind)
}

func FuzzParse(f *testing.F) {
	f.Add("diff --git a/x b/x\nindex 1..2 100644\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n\\ No newline at end of file\n")
	f.Add("--- /dev/null\n+++ \"b/\\303\\251\"\n@@ -0,0 +1 @@\n+a\n")
	f.Add("diff --git a/x b/y\nrename from x\nrename to y\n")
	f.Fuzz(func(t *testing.T, patch string) {
		files, err := Parse([]byte(patch))
		if err != nil {
			require.True(t, strings.Contains(err.Error(), "patch"))
			return
		}
		for _, p := range files {
			for _, path := range []string{p.OldPath, p.NewPath} {
				if path != "" {
					require.NoError(t, gitfile.CheckPath(path))
				}
			}
			Fit([]byte("a\nb\n"), p.Hunks, false)
		}
	})
}
