package gitcmd

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// EmptyObject is the id of an empty object of a type, which git knows without
// storing it.
func (r *Runner) EmptyObject(kind string) string {
	if r.SHA256 {
		sum := sha256.Sum256([]byte(kind + " 0\x00"))
		return hex.EncodeToString(sum[:])
	}
	sum := sha1.Sum([]byte(kind + " 0\x00"))
	return hex.EncodeToString(sum[:])
}

// NoObject is the id that stands for nothing.
func (r *Runner) NoObject() string {
	if r.SHA256 {
		return strings.Repeat("0", 64)
	}
	return strings.Repeat("0", 40)
}

// Resolve is the object id a revision stands for, "" if there is none.
func (r *Runner) Resolve(ctx context.Context, rev string) (string, error) {
	out, err := r.Output(ctx, "rev-parse", "-q", "--verify", "--end-of-options", rev)
	if ExitCode(err) == 1 {
		return "", nil
	}
	return strings.TrimSpace(string(out)), err
}

// IsSet reports whether a boolean setting has a value.
func (r *Runner) IsSet(ctx context.Context, key, value string) (bool, error) {
	out, err := r.Output(ctx, "config", "--type=bool", "--get", key)
	if err != nil && ExitCode(err) != 1 {
		return false, err
	}
	return strings.TrimSpace(string(out)) == value, nil
}
