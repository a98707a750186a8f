// Package records keeps commits of ours in a repository: checkpoints, and what operations
// have destroyed. They hold files that the user has never committed, so no ref of the
// repository may lead to them: "git push --mirror" would take it along.
//
// The objects are in the repository's own database. Their refs are in a bare
// repository of ours inside the git directory, which borrows the objects. So that "git
// gc" keeps them, each has an entry in the log of AHP_HEAD, a name beside HEAD that is
// neither pushed nor cloned. The entries lie in the future, so that they do not expire
// unless the user lets all of them ("git reflog expire --expire=now --all").
package records

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"ahp-lsp/internal/githost/gitrepo/fault"
	"ahp-lsp/internal/githost/gitrepo/gitcmd"
)

// Store is the records of one repository. It is safe for concurrent use.
type Store struct {
	user *gitcmd.Runner // in the directory that all work trees share
	own  *gitcmd.Runner
	// Now is the clock, for tests.
	Now func() time.Time

	mu    sync.Mutex
	ready bool // there is a repository of ours, with all refs of older versions
}

// Prefix begins the names of all our refs.
const Prefix = "refs/ahp/"

const (
	recordsDir = "ahp/records.git"
	anchor     = "AHP_HEAD"
	// anchorEpoch is the start of the year 2100 less 2020, in Unix seconds: what
	// happens now is logged as happening so much later.
	anchorEpoch = 4102444800 - 1577836800
)

func New(r *gitcmd.Runner) *Store {
	dir := filepath.Join(r.CommonDir, filepath.FromSlash(recordsDir))
	own := &gitcmd.Runner{Root: dir, GitDir: dir, CommonDir: dir, SHA256: r.SHA256, NoFiles: true,
		Env: []string{"GIT_OBJECT_DIRECTORY=" + filepath.Join(r.CommonDir, "objects")}}
	user := &gitcmd.Runner{Root: r.CommonDir, GitDir: r.CommonDir, CommonDir: r.CommonDir, SHA256: r.SHA256, NoFiles: true}
	return &Store{user: user, own: own, Now: time.Now}
}

// Exist makes what is needed for writing, and moves the refs of older versions.
func (s *Store) Exist(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ready {
		return nil
	}
	if err := s.create(ctx); err != nil {
		return err
	}
	return s.moveOld(ctx)
}

// Known reports whether there are records. It is false, and no error, where none have
// been made.
func (s *Store) Known(ctx context.Context) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ready {
		return true, nil
	}
	old, err := s.oldRefs(ctx)
	if err != nil {
		return false, err
	}
	if len(old) > 0 {
		if err := s.create(ctx); err != nil {
			return false, err
		}
		return true, s.moveOld(ctx)
	}
	if _, err := os.Stat(filepath.Join(s.own.GitDir, "HEAD")); err != nil {
		return false, nil
	}
	s.ready = true
	return true, nil
}

func (s *Store) create(ctx context.Context) error {
	if _, err := os.Stat(filepath.Join(s.own.GitDir, "HEAD")); err == nil {
		return nil
	}
	above := filepath.Dir(s.own.GitDir)
	if err := os.MkdirAll(above, 0o700); err != nil {
		return fault.Classify(err)
	}
	// Beside it and then put there whole: another process may do the same.
	temp, err := os.MkdirTemp(above, "records-*.tmp")
	if err != nil {
		return fault.Classify(err)
	}
	defer os.RemoveAll(temp)
	format := "sha1"
	if s.own.SHA256 {
		format = "sha256"
	}
	if _, err := s.user.Run(ctx, gitcmd.Command{Dir: above, Args: []string{"init", "--quiet", "--bare", "--template=", "--object-format=" + format, temp}}); err != nil {
		return err
	}
	// For people who look into it with git: it needs no variables then.
	if err := os.MkdirAll(filepath.Join(temp, "objects", "info"), 0o700); err != nil {
		return fault.Classify(err)
	}
	if err := os.WriteFile(filepath.Join(temp, "objects", "info", "alternates"), []byte("../../../objects\n"), 0o600); err != nil {
		return fault.Classify(err)
	}
	if err := os.Rename(temp, s.own.GitDir); err != nil {
		if _, other := os.Stat(filepath.Join(s.own.GitDir, "HEAD")); other != nil {
			return fault.Classify(err)
		}
	}
	return nil
}

// Set makes a ref lead to a commit. old is what it must have led to until now, all
// zeros if there must have been none.
func (s *Store) Set(ctx context.Context, ref, commit, old string) error {
	if err := s.Exist(ctx); err != nil {
		return err
	}
	if err := s.Keep(ctx, commit); err != nil {
		return err
	}
	in := fmt.Sprintf("update %s\x00%s\x00%s\x00", ref, commit, old)
	return s.update(ctx, s.own, bytes.NewBufferString(in))
}

// Remove deletes a ref. One that is not there is no error.
func (s *Store) Remove(ctx context.Context, ref string) error {
	if known, err := s.Known(ctx); err != nil || !known {
		return err
	}
	return s.update(ctx, s.own, bytes.NewBufferString("delete "+ref+"\x00\x00"))
}

// Resolve is the commit that a ref of ours leads to, "" if there is none.
func (s *Store) Resolve(ctx context.Context, ref string) (string, error) {
	if known, err := s.Known(ctx); err != nil || !known {
		return "", err
	}
	return s.own.Resolve(ctx, ref+"^{commit}")
}

// Show is the command that prints what was destroyed.
func (s *Store) Show(ref, path string) string {
	return "git --git-dir=" + s.own.GitDir + " show " + ref + ":before/" + path
}

// Keep makes sure that git's garbage collection keeps a commit.
func (s *Store) Keep(ctx context.Context, commit string) error {
	c := gitcmd.Command{Args: []string{"update-ref", "--create-reflog", "-m", "ahp-lsp", anchor, commit}, Durable: true,
		Config: []string{"user.name=ahp-lsp", "user.email=ahp-lsp@localhost", lockTimeout},
		Env:    []string{fmt.Sprintf("GIT_COMMITTER_DATE=@%d +0000", s.Now().Unix()+anchorEpoch)}}
	return s.unlocked(ctx, s.user, func() error {
		_, err := s.user.Run(ctx, c)
		return err
	})
}

// keepAll keeps commits by one entry: for a commit that has them all as its parents.
func (s *Store) keepAll(ctx context.Context, commits []string) error {
	out, err := s.user.Run(ctx, gitcmd.Command{Args: []string{"mktree"}, Stdin: strings.NewReader(""), Durable: true})
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "tree %s\n", strings.TrimSpace(string(out)))
	seen := map[string]bool{}
	for _, c := range commits {
		if !seen[c] {
			seen[c] = true
			fmt.Fprintf(&b, "parent %s\n", c)
		}
	}
	for _, who := range []string{"author", "committer"} {
		fmt.Fprintf(&b, "%s ahp-lsp <ahp-lsp@localhost> %d +0000\n", who, time.Now().Unix())
	}
	b.WriteString("\nWhat ahp-lsp has recorded\n")
	out, err = s.user.Run(ctx, gitcmd.Command{Args: []string{"hash-object", "-t", "commit", "-w", "--stdin"}, Stdin: strings.NewReader(b.String()), Durable: true})
	if err != nil {
		return err
	}
	return s.Keep(ctx, strings.TrimSpace(string(out)))
}

// largeLog is the size of the log, in bytes, from which on it is tidied: some 400
// entries.
const largeLog = 64 << 10

// TidyLarge tidies when it is worth the time.
func (s *Store) TidyLarge(ctx context.Context) error {
	info, err := os.Stat(filepath.Join(s.user.GitDir, "logs", anchor))
	if err != nil || info.Size() < largeLog {
		return nil
	}
	return s.Tidy(ctx)
}

// Tidy lets go of what no ref leads to any more, and of refs that lead nowhere, since
// the user has purged the objects.
func (s *Store) Tidy(ctx context.Context) error {
	if known, err := s.Known(ctx); err != nil || !known {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	live, err := s.Live(ctx)
	if err != nil {
		return err
	}
	// What is logged from here on, in whole seconds, stays.
	before := s.Now().Unix() + anchorEpoch
	if err := s.keepAll(ctx, live); err != nil {
		return err
	}
	when := fmt.Sprintf("@%d +0000", before)
	_, err = s.user.Output(ctx, "reflog", "expire", "--rewrite", "--expire="+when, "--expire-unreachable="+when, anchor)
	return err
}

// Live are the commits that refs lead to. Refs whose commit is gone are deleted.
func (s *Store) Live(ctx context.Context) ([]string, error) {
	out, err := s.own.Output(ctx, "for-each-ref", "--format=%(refname) %(objectname)")
	if err != nil {
		return nil, err
	}
	refs := namedCommits(out)
	var in strings.Builder
	for _, ref := range refs {
		in.WriteString(ref.commit + "\n")
	}
	out, err = s.own.Run(ctx, gitcmd.Command{Args: []string{"cat-file", "--batch-check=%(objecttype)"}, Stdin: strings.NewReader(in.String())})
	if err != nil {
		return nil, err
	}
	var commits []string
	var gone bytes.Buffer
	answers := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	for i, ref := range refs {
		if i < len(answers) && answers[i] == "commit" {
			commits = append(commits, ref.commit)
		} else {
			fmt.Fprintf(&gone, "delete %s\x00%s\x00", ref.name, ref.commit)
		}
	}
	if gone.Len() == 0 {
		return commits, nil
	}
	return commits, s.update(ctx, s.own, &gone)
}

// update changes refs, all of them or none.
func (s *Store) update(ctx context.Context, in *gitcmd.Runner, commands *bytes.Buffer) error {
	text := commands.String()
	return s.unlocked(ctx, in, func() error {
		_, err := in.Run(ctx, gitcmd.Command{Args: []string{"update-ref", "-z", "--stdin"}, Stdin: strings.NewReader(text), Durable: true, Config: []string{lockTimeout}})
		return err
	})
}

// Dir is the repository that has our refs.
func (s *Store) Dir() string { return s.own.GitDir }

// Run runs git in the repository that has our refs. Objects go to the user's.
func (s *Store) Run(ctx context.Context, c gitcmd.Command) ([]byte, error) { return s.own.Run(ctx, c) }

// ResolveAny is the object that a revision stands for whose refs are ours; "" if there
// is none.
func (s *Store) ResolveAny(ctx context.Context, rev string) (string, error) {
	if known, err := s.Known(ctx); err != nil || !known {
		return "", err
	}
	return s.own.Resolve(ctx, rev)
}
