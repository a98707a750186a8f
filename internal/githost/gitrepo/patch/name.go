package patch

import (
	"fmt"
	"strings"
)

// The prefixes diff tools put before the two names of a file: git's own, its
// mnemonic ones (index, work tree, commit, object), and numbers.
const oldPrefixes, newPrefixes = "aico1", "bwi2"

// stripPair takes the prefixes off, if both names have one and they differ;
// after git diff --no-prefix equal first letters are a folder.
func stripPair(oldName, newName string) (oldPath, newPath string, strip int) {
	if len(oldName) > 2 && len(newName) > 2 && oldName[1] == '/' && newName[1] == '/' && oldName[0] != newName[0] &&
		(strings.IndexByte(oldPrefixes, oldName[0]) >= 0 && strings.IndexByte(newPrefixes, newName[0]) >= 0 ||
			strings.IndexByte(oldPrefixes, newName[0]) >= 0 && strings.IndexByte(newPrefixes, oldName[0]) >= 0) {
		return oldName[2:], newName[2:], 1
	}
	return oldName, newName, 0
}

// stripOne takes a prefix off the only name.
func stripOne(name, prefix string) (string, int) {
	if rest, ok := strings.CutPrefix(name, prefix+"/"); ok && rest != "" {
		return rest, 1
	}
	return name, 0
}

// splitGitNames splits the names of a "diff --git" line. Unquoted names may hold
// spaces; they are the same but for the prefix, or extended headers name them
// both. Two empty names are returned if it is not clear.
func splitGitNames(s string) (oldName, newName string) {
	if strings.HasPrefix(s, `"`) {
		end := quotedEnd(s)
		if end < 0 || end+1 >= len(s) {
			return "", ""
		}
		oldName, err := unquoteName(s[:end])
		if err != nil {
			return "", ""
		}
		newName, err := unquoteName(strings.TrimPrefix(s[end:], " "))
		if err != nil {
			return "", ""
		}
		return oldName, newName
	}
	if i := strings.Index(s, ` "`); i >= 0 && strings.HasSuffix(s, `"`) {
		newName, err := unquoteName(s[i+1:])
		if err != nil {
			return "", ""
		}
		return s[:i], newName
	}
	for i := 0; i < len(s); i++ {
		if s[i] != ' ' {
			continue
		}
		o, n, _ := stripPair(s[:i], s[i+1:])
		if o == n {
			return s[:i], s[i+1:]
		}
	}
	return "", ""
}

// quotedEnd is the offset behind a C-quoted string at the start of s.
func quotedEnd(s string) int {
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

// headerName is the file name of a --- or +++ line: up to a tab, behind which
// some tools put the time.
func headerName(s string) (string, error) {
	if strings.HasPrefix(s, `"`) {
		if end := quotedEnd(s); end > 0 {
			s = s[:end]
		}
		return unquoteName(s)
	}
	s, _, _ = strings.Cut(s, "\t")
	return strings.TrimRight(s, " "), nil
}

// unquoteName undoes git's C quoting of unusual names.
func unquoteName(s string) (string, error) {
	if !strings.HasPrefix(s, `"`) {
		return s, nil
	}
	if len(s) < 2 || quotedEnd(s) != len(s) {
		return "", fmt.Errorf("the file name %s is not quoted correctly", s)
	}
	var b strings.Builder
	for s = s[1 : len(s)-1]; s != ""; {
		if s[0] != '\\' {
			b.WriteByte(s[0])
			s = s[1:]
			continue
		}
		if len(s) >= 4 && s[1] >= '0' && s[1] <= '3' && isOctal(s[2]) && isOctal(s[3]) {
			b.WriteByte((s[1]-'0')<<6 | (s[2]-'0')<<3 | (s[3] - '0'))
			s = s[4:]
			continue
		}
		i := strings.IndexByte(`abfnrtv"\`, s[1])
		if i < 0 {
			return "", fmt.Errorf("the file name has the unknown escape %q", s[:2])
		}
		b.WriteByte("\a\b\f\n\r\t\v\"\\"[i])
		s = s[2:]
	}
	return b.String(), nil
}

func isOctal(c byte) bool { return c >= '0' && c <= '7' }
