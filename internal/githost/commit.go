package githost

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/atomicfile"
	"ahp-lsp/internal/githost/wire"
)

// The protocol gives an operation no input, so a commit takes its message in
// one of two ways:
//
//   - from _meta["ahp-lsp.commitMessage"] of the invocation;
//   - else from the file <git dir>/ahp/COMMIT_MESSAGE. If nothing is written
//     there, commit makes the file, answers with a follow-up that refers to it,
//     and changes nothing; invoked again once the message is saved, it commits
//     and removes the file.
//
// Lines that begin with # are no part of the message.

const commitTemplate = `
# Write the message of the commit above, save this file, and run "Commit" again.
# Lines that begin with # are left out. Nothing has been committed yet.
`

// maxMessage is the size limit of a commit message in bytes.
const maxMessage = 1 << 20

func (h *Host) messageFile() string { return filepath.Join(h.repo.GitDir(), "ahp", "COMMIT_MESSAGE") }

// commit commits, or asks for the message.
func (o operations) commit(ctx context.Context, given string) (ahp.InvokeResult, *ahp.Error) {
	message, name := cleanMessage(given), o.h.messageFile()
	fromFile := message == ""
	written := "" // in the file
	if fromFile {
		var err error
		if written, err = readMessageFile(name); err != nil {
			return ahp.InvokeResult{}, wire.Errorf(ahp.CodeInternal, "commit: read the message: %v", err)
		}
		message = cleanMessage(written)
	}
	if message == "" {
		return askMessage(name, written)
	}
	done, err := o.h.repo.Commit(ctx, message)
	if err != nil {
		return ahp.InvokeResult{}, operationError(err)
	}
	if fromFile {
		_ = os.Remove(name)
	}
	return said(done), nil
}

// askMessage makes the file for the message and points to it. What the user has
// written there stays, also where it does not count: "#12: fix it" is a comment.
func askMessage(name, written string) (ahp.InvokeResult, *ahp.Error) {
	say := "Nothing has been committed yet: write the message in " + name + ", save it, and run \"Commit\" again."
	if strings.TrimSpace(written) == "" {
		err := atomicfile.PrivateDir(filepath.Dir(name))
		if err == nil {
			err = os.WriteFile(name, []byte(commitTemplate), 0o600)
		}
		if err != nil {
			return ahp.InvokeResult{}, wire.Errorf(ahp.CodeInternal, "commit: make the file for the message: %v", err)
		}
	} else {
		say += " The file has only lines that begin with #, which are left out."
	}
	text := ahp.Plain(say)
	r := ahp.InvokeResult{Message: &text}
	r.FollowUp = &struct {
		Content  ahp.ContentRef `json:"content"`
		External bool           `json:"external,omitempty"`
	}{Content: ahp.ContentRef{URI: ahp.FileURI(filepath.ToSlash(name)), ContentType: "text/plain"}}
	return r, nil
}

func readMessageFile(name string) (string, error) {
	info, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > maxMessage {
		return "", fmt.Errorf("%s is not a regular file of at most %d MiB", name, maxMessage>>20)
	}
	data, err := os.ReadFile(name)
	return string(data), err
}

// cleanMessage takes out the comments and the empty lines around the rest.
func cleanMessage(s string) string {
	var lines []string
	for line := range strings.Lines(strings.ReplaceAll(s, "\r\n", "\n")) {
		if !strings.HasPrefix(line, "#") {
			lines = append(lines, strings.TrimRight(line, " \t\r\n"))
		}
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}
