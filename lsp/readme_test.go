package lsp

import (
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// section is the table of one of the README's sections.
func section(t *testing.T, title string) string {
	t.Helper()
	data, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	_, rest, found := strings.Cut(string(data), "\n## "+title+"\n")
	require.True(t, found, "the README has no section %q", title)
	rest, _, _ = strings.Cut(rest, "\n## ")
	return rest
}

// named are the names in the first column of a section's table.
func named(t *testing.T, title, pattern string) (names []string) {
	t.Helper()
	for _, line := range strings.Split(section(t, title), "\n") {
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			names = append(names, regexp.MustCompile(pattern).FindAllString(cells[1], -1)...)
		}
	}
	slices.Sort(names)
	return names
}

// The README's tables have what there is, and nothing else.
func TestReadmeHasEverything(t *testing.T) {
	require.Equal(t, New(Config{}).commands.Names(), named(t, "Commands", `ahp\.[\w.]+`))

	var settings []string
	for i := range reflect.TypeFor[Settings]().NumField() {
		name, _, _ := strings.Cut(reflect.TypeFor[Settings]().Field(i).Tag.Get("json"), ",")
		settings = append(settings, name)
	}
	slices.Sort(settings)
	require.Equal(t, settings, slices.DeleteFunc(named(t, "Settings", "\\w+"), func(s string) bool { return s == "setting" }))
}

// A heading is words: nothing of what once commented something out is left in one.
func TestReadmeHeadings(t *testing.T) {
	data, err := os.ReadFile("../README.md")
	require.NoError(t, err)
	prose := regexp.MustCompile("(?ms)^```.*?^```$").ReplaceAllString(string(data), "")
	prose = regexp.MustCompile(`(?m)^<!-- (home: .*|/home) -->$`).ReplaceAllString(prose, "") // see internal/release
	require.NotRegexp(t, `<!--|-->`, prose)
	headings := regexp.MustCompile(`(?m)^#+ .*`).FindAllString(prose, -1)
	require.Len(t, slices.Compact(slices.Sorted(slices.Values(headings))), len(headings), "%q", headings)
}
