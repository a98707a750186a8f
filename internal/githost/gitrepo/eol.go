package gitrepo

import (
	"context"
	"fmt"
	"strings"

	"ahp-lsp/internal/githost/gitrepo/gitcmd"
	"ahp-lsp/internal/githost/gitrepo/lines"
)

// freeEnds reports whether git converts the line ends of a file, so that "\n"
// against "\r\n" is no change in it. raw is the file as stored.
func (r *contents) freeEnds(ctx context.Context, path string, raw func() ([]byte, error)) (bool, error) {
	out, err := r.cmd.Output(ctx, "check-attr", "-z", "text", "eol", "crlf", "--", path)
	if err != nil {
		return false, fmt.Errorf("read the attributes of %s: %w", path, err)
	}
	attr := map[string]string{}
	var rec []string
	for s := range records(out) {
		if rec = append(rec, s); len(rec) == 3 {
			attr[rec[1]], rec = rec[2], nil
		}
	}
	text := attr["text"]
	if text == "unspecified" {
		// The older name of the attribute.
		if text = attr["crlf"]; text == "input" {
			text = "set"
		}
	}
	if text == "unspecified" && (attr["eol"] == "lf" || attr["eol"] == "crlf") {
		text = "set"
	}
	switch text {
	case "set":
		return true, nil
	case "auto":
	case "unspecified":
		out, err := r.cmd.Output(ctx, "config", "--get", "core.autocrlf")
		if err != nil && gitcmd.ExitCode(err) != 1 {
			return false, err
		}
		switch strings.ToLower(strings.TrimSpace(string(out))) {
		case "true", "input", "yes", "on", "1":
		default:
			return false, nil
		}
	default:
		return false, nil
	}
	// Where git decides by itself it leaves files alone that are stored with
	// "\r\n".
	data, err := raw()
	if err != nil {
		return false, err
	}
	return !strings.Contains(string(data), "\r\n"), nil
}

// compareDiskLines compares a stored version, given in work tree form, with the
// file on disk: what git calls unchanged is unchanged.
func (r *Repo) compareDiskLines(ctx context.Context, before *Side, beforeData []byte, path string, disk []byte) (*lines.Comparison, error) {
	b, a := lines.Split(beforeData), lines.Split(disk)
	if before != nil {
		bLF, bCRLF := b.EndKinds()
		aLF, aCRLF := a.EndKinds()
		if bLF && aCRLF || bCRLF && aLF {
			free, err := r.content.freeEnds(ctx, path, func() ([]byte, error) { return r.Blob(ctx, before.Blob) })
			if err != nil {
				return nil, err
			}
			if free {
				b = lines.LikeEnds(b, a)
			}
		}
	}
	return lines.Compare(b, a), nil
}
