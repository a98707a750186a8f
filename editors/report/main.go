// Command report reads what "go test -json" writes, prints what "go test" itself
// would, and appends a line for each skipped test, with the reason, to a file.
//
//	go test -json ./... | go run ./editors/report FILE
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go test -json … | report FILE")
		os.Exit(2)
	}
	file, err := os.OpenFile(os.Args[1], os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		err = report(os.Stdin, os.Stdout, file)
		if closed := file.Close(); err == nil {
			err = closed
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

// event is what test2json writes.
type event struct {
	Action  string
	Package string
	Test    string
	Output  string
}

// report copies the events of r: what is worth reading to out, the skipped tests to
// skipped.
func report(r io.Reader, out, skipped io.Writer) error {
	said := map[string]*strings.Builder{} // by test: a test that passes is silent
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			if err := take(line, said, out, skipped); err != nil {
				return err
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read the test's output: %w", err)
		}
	}
}

func take(line []byte, said map[string]*strings.Builder, out, skipped io.Writer) error {
	var e event
	if json.Unmarshal(line, &e) != nil { // of a program that is no test
		_, err := out.Write(line)
		return err
	}
	test := e.Package + " " + e.Test
	var err error
	switch {
	case e.Action == "build-output", e.Action == "output" && e.Test == "" && e.Output != "PASS\n":
		_, err = io.WriteString(out, e.Output)
	case e.Action == "output" && e.Test != "":
		if said[test] == nil {
			said[test] = &strings.Builder{}
		}
		said[test].WriteString(e.Output)
	case e.Test == "":
	case e.Action == "fail" && said[test] != nil:
		_, err = io.WriteString(out, said[test].String())
	case e.Action == "skip" && said[test] != nil:
		_, err = fmt.Fprintf(skipped, "%s in %s: %s\n", e.Test, e.Package, reason(said[test].String()))
	}
	if e.Action == "pass" || e.Action == "fail" || e.Action == "skip" {
		delete(said, test)
	}
	return err
}

// reason is what a skipped test said, without what the test runner said about it and
// without the place in the source.
func reason(said string) string {
	var out []string
	for line := range strings.Lines(said) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "=== ") || strings.HasPrefix(line, "--- ") {
			continue
		}
		if place, text, found := strings.Cut(line, ": "); found && strings.Contains(place, ".go:") {
			line = text
		}
		out = append(out, line)
	}
	if len(out) == 0 {
		return "no reason given"
	}
	return strings.Join(out, " ")
}
