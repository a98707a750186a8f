package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"time"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/internal/atomicfile"
	"ahp-lsp/internal/regularfile"
)

// Journal is a file of records of type R, one JSON line each, of which the newest
// about a thing counts.
//
// # What a crash can do
//
// A record is appended and the file synced before Append returns, so what has
// been acknowledged is on the disk. A crash in between leaves at most an
// unfinished last line, which no client has seen; the next write covers it.
// The file is created, and rewritten when most of its lines are out of date, as
// a temporary file that is synced and renamed, and then the directory is synced:
// there is always one whole journal under its name.
//
// A file that is damaged in any other way gets another name first, and then what
// is sound in it is taken over into a new one, which replaces it under its own:
// the comments are never without a file.
//
// A Journal is used by one goroutine of one process: the one that holds the
// work tree's lock.
type Journal[R any] struct {
	path string
	file *os.File // nil until something has to be written
	size int64    // up to the last acknowledged record; what lies behind is rubbish
	// lines and live say when it is time to rewrite.
	lines int
	// suspect: a write or sync failed, and what the file holds is not known.
	suspect bool
}

// rewriteSlack is how many lines may be out of date before a rewrite is
// considered.
const rewriteSlack = 1000

// Open reads the journal at path, which need not exist: it and its
// directory are made by the first Append. notice is for the user.
// After an error the journal must not be written.
func Open[R any](path string, now time.Time) (j *Journal[R], records []R, notice string, err error) {
	j = &Journal[R]{path: path}
	data, err := regularfile.Read(path, -1)
	if errors.Is(err, fs.ErrNotExist) {
		return j, nil, "", nil
	}
	if err != nil {
		return nil, nil, "", fmt.Errorf("read the comments: %w", err)
	}
	records, whole, damaged, err := decodeJournal[R](data)
	if err != nil {
		return nil, nil, "", fmt.Errorf("read the comments in %s: %w", path, err)
	}
	if damaged > 0 {
		aside, err := setAside(path, now)
		if err != nil {
			return nil, nil, "", fmt.Errorf("the comments in %s are damaged and cannot be set aside: %w", path, err)
		}
		j.suspect = true // what is sound in it is written again
		notice = fmt.Sprintf("The file with your comments was damaged (%s). It is kept as %s; %s could be read and are shown.",
			counted(damaged, "unreadable line"), aside, counted(len(records), "record"))
		return j, records, notice, nil
	}
	j.size, j.lines = int64(whole), bytes.Count(data[:whole], []byte("\n"))
	j.suspect = whole == 0 // an empty file lacks its header
	return j, records, "", nil
}

// setAside gives a damaged file a second name, one that is free. Until the file
// is replaced, it is found under its own too: a process that ends in between, or
// a disk that is full, must not make the comments disappear.
func setAside(path string, now time.Time) (string, error) {
	if info, err := os.Lstat(path); err == nil {
		names, _ := filepath.Glob(path + ".damaged-*")
		for _, name := range names {
			if was, err := os.Lstat(name); err == nil && os.SameFile(info, was) {
				return name, nil // by a process that did not come further
			}
		}
	}
	base := path + ".damaged-" + now.UTC().Format("20060102T150405")
	for i := 1; i < 1000; i++ {
		aside := base
		if i > 1 {
			aside = fmt.Sprintf("%s-%d", base, i)
		}
		err := os.Link(path, aside)
		if err == nil {
			return aside, atomicfile.SyncDir(filepath.Dir(path))
		}
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if _, taken := os.Lstat(aside); taken == nil {
			continue
		}
		return aside, copyDurably(path, aside) // a file system without links
	}
	return "", fs.ErrExist
}

// copyDurably copies a file to a name that is free.
func copyDurably(from, to string) (err error) {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if err = errors.Join(err, f.Close()); err != nil {
			os.Remove(to)
		}
	}()
	if _, err := f.Write(data); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return atomicfile.SyncDir(filepath.Dir(to))
}

// Append makes records durable. live yields every record that counts, without
// the new ones; it is asked for when the file has to be rewritten. After an
// error none of the records counts, on this disk or after a restart.
func (j *Journal[R]) Append(records []R, live iter.Seq[R], liveCount int) error {
	if len(records) == 0 {
		return nil
	}
	var buf bytes.Buffer
	for _, r := range records {
		l, err := encodeLine(r)
		if err != nil {
			return fmt.Errorf("write the comments: %w", err)
		}
		buf.Write(l)
	}
	if j.suspect || j.size == 0 || j.lines > 2*liveCount+rewriteSlack {
		return j.rewrite(live, buf.Bytes(), len(records))
	}
	if j.file == nil {
		f, err := os.OpenFile(j.path, os.O_RDWR, 0)
		if err != nil {
			return fmt.Errorf("write the comments: %w", err)
		}
		j.file = f
		// An unfinished line of an earlier process.
		if err := f.Truncate(j.size); err != nil {
			j.suspect = true
			return fmt.Errorf("write the comments: %w", err)
		}
	}
	_, err := j.file.WriteAt(buf.Bytes(), j.size)
	if err == nil {
		err = j.file.Sync()
	}
	if err != nil {
		j.retract()
		return fmt.Errorf("write the comments: %w", err)
	}
	j.size += int64(buf.Len())
	j.lines += len(records)
	return nil
}

// retract takes back what a failed write may have left in the file: a record
// that was refused must not come back after a restart.
func (j *Journal[R]) retract() {
	if j.file.Truncate(j.size) != nil || j.file.Sync() != nil {
		// What is there is not known; a new file makes it known.
		j.suspect = true
	}
}

// rewrite puts a new file with the live records and the encoded tail in the
// place of the old one.
func (j *Journal[R]) rewrite(live iter.Seq[R], tail []byte, tailLines int) error {
	// Closed first: where an open file cannot be replaced, on Windows, and
	// because it is the old one afterwards.
	err := j.Close()
	if err == nil {
		err = atomicfile.PrivateDir(filepath.Dir(j.path))
	}
	var size int64
	var lines int
	if err == nil {
		err = atomicfile.ReplaceFunc(j.path, 0o600, func(w io.Writer) (err error) {
			size, lines, err = writeJournal(w, live, tail)
			return err
		})
	}
	if err != nil {
		// The new file may be in place, but after a power cut it may be the old
		// one. No client has seen the tail yet. The next write makes another new
		// file, which settles it.
		j.suspect = true
		return fmt.Errorf("write the comments: %w", err)
	}
	j.size, j.lines, j.suspect = size, lines+tailLines, false
	return nil
}

func writeJournal[R any](f io.Writer, live iter.Seq[R], tail []byte) (size int64, lines int, err error) {
	var buf bytes.Buffer
	flush := func() error {
		n, err := f.Write(buf.Bytes())
		size += int64(n)
		buf.Reset()
		return err
	}
	head, err := ahp.Marshal(header{Journal: journalKind, Format: Format})
	if err != nil {
		return 0, 0, err
	}
	buf.Write(append(head, '\n'))
	lines++
	for r := range live {
		l, err := encodeLine(r)
		if err != nil {
			return 0, 0, err
		}
		buf.Write(l)
		lines++
		if buf.Len() > 1<<20 {
			if err := flush(); err != nil {
				return 0, 0, err
			}
		}
	}
	buf.Write(tail)
	err = flush()
	return size, lines, err
}

// Tidy rewrites a journal that was damaged, so that what could be saved of it is
// under its name again.
func (j *Journal[R]) Tidy(live iter.Seq[R]) error {
	if !j.suspect {
		return nil
	}
	return j.rewrite(live, nil, 0)
}

// Close closes the file.
func (j *Journal[R]) Close() error {
	if j.file == nil {
		return nil
	}
	err := j.file.Close()
	j.file = nil
	return err
}

func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
