package githost

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"strings"
	"time"

	"ahp-lsp/internal/githost/gitrepo"
)

// These questions to git are the watcher's own; everything about changes is
// asked through package gitrepo.

// listDirs names the directories of the work tree that hold files git cares
// about: all that are not ignored, "." first.
func listDirs(ctx context.Context, repo *gitrepo.Repo) ([]string, error) {
	out, err := runGit(ctx, repo, nil, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	dirs, seen := []string{"."}, map[string]bool{".": true}
	for name := range bytes.SplitSeq(out, []byte{0}) {
		// A nested repository is listed as its directory.
		dir := path.Dir(strings.TrimSuffix(string(name), "/"))
		for len(name) > 0 && !seen[dir] {
			seen[dir] = true
			dirs = append(dirs, dir)
			dir = path.Dir(dir)
		}
	}
	return dirs, nil
}

// listIgnored picks the paths that git ignores. A tracked file never is.
func listIgnored(ctx context.Context, repo *gitrepo.Repo, paths []string) (map[string]bool, error) {
	out, err := runGit(ctx, repo, []byte(strings.Join(paths, "\x00")), "check-ignore", "-z", "--stdin")
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		err = nil // none
	}
	if err != nil {
		return nil, err
	}
	ignored := map[string]bool{}
	for name := range bytes.SplitSeq(out, []byte{0}) {
		ignored[string(name)] = true
	}
	return ignored, nil
}

func runGit(ctx context.Context, repo *gitrepo.Repo, input []byte, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", repo.Root()}, args...)...)
	// Variables of a hook that started this process would lead elsewhere.
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0")
	cmd.WaitDelay = 3 * time.Second
	cmd.Stdin = bytes.NewReader(input)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(stderr.String()))
	}
	return out, nil
}
