package gitcmd

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"ahp-lsp/internal/githost/gitrepo/fault"
)

// batch keeps one git cat-file open, since reading an object costs a tenth of
// starting a process. It ends after idleBatch without a request, so that it does
// not hold packs open that the user's git wants to replace.
type batch struct {
	mu   sync.Mutex
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	idle *time.Timer
}

const idleBatch = 20 * time.Second

// Blob is the raw content of an object, without filters. fault.ErrTooLarge over
// 64 MiB, fault.ErrNotFound for an unknown id.
func (r *Runner) Blob(ctx context.Context, id string) ([]byte, error) {
	if !IsID(id) {
		return nil, fmt.Errorf("read object %q: %w: not an object id", id, fault.ErrNotFound)
	}
	b := &r.batch
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("read object %s: %w", id, err)
	}
	// The process may have been ended from outside; a second try gets a new one.
	reused := b.cmd != nil
	data, err := b.read(ctx, r, id)
	if err != nil && reused && b.cmd == nil && ctx.Err() == nil {
		data, err = b.read(ctx, r, id)
	}
	return data, err
}

// IsID tells a full object id from anything else, which could make cat-file
// answer something unexpected.
func IsID(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	return strings.Trim(s, "0123456789abcdef") == ""
}

func (b *batch) start(r *Runner) error {
	// Its life is its own, not that of the first request.
	cmd := r.command(context.Background(), Command{Args: []string{"cat-file", "--batch"}}, nil)
	in, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return commandError(context.Background(), Command{Args: []string{"cat-file"}}, err, "")
	}
	b.cmd, b.in, b.out = cmd, in, bufio.NewReaderSize(out, 64<<10)
	b.idle = time.AfterFunc(idleBatch, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if b.cmd == cmd {
			b.stop()
		}
	})
	return nil
}

// stop ends the process; b.mu is held.
func (b *batch) stop() {
	if b.cmd == nil {
		return
	}
	b.idle.Stop()
	b.in.Close()
	b.cmd.Process.Kill()
	b.cmd.Wait()
	b.cmd, b.in, b.out = nil, nil, nil
}

// Close ends the git process that Blob keeps open.
func (r *Runner) Close() error {
	r.batch.close()
	return nil
}

func (b *batch) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.stop()
}

// read asks for one object; b.mu is held. After any failure that leaves the
// stream unclear the process is ended.
func (b *batch) read(ctx context.Context, r *Runner, id string) (_ []byte, err error) {
	if b.cmd == nil {
		if err := b.start(r); err != nil {
			return nil, err
		}
	}
	b.idle.Reset(idleBatch)
	process := b.cmd.Process
	defer context.AfterFunc(ctx, func() { process.Kill() })()
	broken := func(err error) error {
		b.stop()
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return fmt.Errorf("read object %s: %w", id, err)
	}
	if _, err := io.WriteString(b.in, id+"\n"); err != nil {
		return nil, broken(err)
	}
	header, err := b.out.ReadString('\n')
	if err != nil {
		return nil, broken(err)
	}
	fields := strings.Fields(header)
	if len(fields) == 2 && fields[1] == "missing" {
		if r.partial() {
			return nil, fmt.Errorf("read object %s: %w; %s", id, fault.ErrNotDownloaded, fault.Hint(fault.ErrNotDownloaded))
		}
		return nil, fmt.Errorf("read object %s: %w: it is not in the repository (a shallow clone, or collected as garbage)", id, fault.ErrNotFound)
	}
	if len(fields) != 3 {
		return nil, broken(fmt.Errorf("unexpected answer %q", header))
	}
	size, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil {
		return nil, broken(err)
	}
	if size > r.MaxObject {
		b.stop() // cheaper than reading past it
		return nil, fmt.Errorf("read object %s: %w: it has %s, and at most %s are read", id, fault.ErrTooLarge, fault.SizeText(size), fault.SizeText(r.MaxObject))
	}
	data := make([]byte, size+1)
	if _, err := io.ReadFull(b.out, data); err != nil {
		return nil, broken(err)
	}
	return data[:size], nil
}
