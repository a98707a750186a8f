package gitrepo

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ahp-lsp/internal/githost/gitrepo/gitcmd"
)

// bigDiff is the size from which on files are not compared but count as binary.
const bigDiff = 64 << 20

// diffCommand compares with everything that configuration could change nailed
// down.
func diffCommand(index string, args []string) gitcmd.Command {
	return gitcmd.Command{Index: index, Config: []string{"core.bigFileThreshold=" + strconv.Itoa(bigDiff)},
		Args: append([]string{"diff", "--raw", "--numstat", "-z", "--no-abbrev", "--find-renames",
			"--no-ext-diff", "--no-textconv", "--no-color", "--no-relative",
			"--submodule=short", "--ignore-submodules=dirty", "--diff-algorithm=default"}, args...)}
}

// parseDiff reads git diff --raw --numstat -z. disk says that the second side is
// the work tree.
func parseDiff(out []byte, disk bool) ([]FileDiff, error) {
	var files []FileDiff
	at := map[string]int{} // by the path after
	var recs []string
	for rec := range records(out) {
		recs = append(recs, rec)
	}
	next := func() (s string) {
		if len(recs) > 0 {
			s, recs = recs[0], recs[1:]
		}
		return s
	}
	for len(recs) > 0 {
		rec := next()
		if meta, ok := strings.CutPrefix(rec, ":"); ok {
			f := strings.Fields(meta)
			if len(f) != 5 {
				return nil, fmt.Errorf("read git's diff: unexpected line %q", rec)
			}
			oldPath := next()
			newPath := oldPath
			if f[4][0] == 'R' || f[4][0] == 'C' {
				newPath = next()
			}
			if f[4][0] == 'U' {
				continue // the line that compares it follows
			}
			d := diffOf(f, oldPath, newPath, disk)
			at[newPath] = len(files)
			files = append(files, d)
			continue
		}
		f := strings.SplitN(rec, "\t", 3)
		if len(f) != 3 {
			return nil, fmt.Errorf("read git's diff: unexpected line %q", rec)
		}
		path := f[2]
		if path == "" {
			next()
			path = next()
		}
		i, ok := at[path]
		if !ok {
			continue
		}
		d := &files[i]
		if d.Kind == Submodule {
			continue
		}
		d.Binary = f[0] == "-"
		d.Added, _ = strconv.Atoi(f[0])
		d.Removed, _ = strconv.Atoi(f[1])
		if d.Kind == Modified && d.Before.Mode != d.After.Mode && !d.Binary && d.Added+d.Removed == 0 {
			d.Kind = ModeOnly
		}
		if d.Kind == Modified && !disk && d.Before.Mode != d.After.Mode && d.Before.Blob == d.After.Blob {
			d.Kind, d.Binary = ModeOnly, false
		}
	}
	slices.SortStableFunc(files, func(a, b FileDiff) int { return strings.Compare(a.Path(), b.Path()) })
	return files, nil
}

// diffOf makes a FileDiff of a raw line: modes, ids, status.
func diffOf(f []string, oldPath, newPath string, disk bool) FileDiff {
	var d FileDiff
	switch f[4][0] {
	case 'A':
		d.Kind = Added
	case 'D':
		d.Kind = Deleted
	case 'R':
		d.Kind = Renamed
	case 'C':
		d.Kind = Copied
	case 'T':
		d.Kind = TypeChange
	default:
		d.Kind = Modified
	}
	if d.Kind != Added {
		d.Before = &Side{Path: oldPath, Mode: f[0], Blob: f[2]}
	}
	if d.Kind != Deleted {
		d.After = &Side{Path: newPath, Mode: f[1], Blob: f[3]}
		if disk {
			d.After.Disk = true
			d.After.Blob = ""
		}
	}
	if (d.Before == nil || d.Before.Mode == ModeSubmodule) && (d.After == nil || d.After.Mode == ModeSubmodule) {
		d.Kind = Submodule
	}
	return d
}
