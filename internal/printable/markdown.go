package printable

import (
	"regexp"
	"strings"
)

// Markdown returns Markdown that does nothing on its own and nothing unexpected
// when it is clicked, for a hover or a comment:
//
//   - an image is a link that shows its address: an editor loads images without
//     being asked, and so tells their host what was read;
//   - a link to anything but http, https and mailto is text, such as command:,
//     file: and vscode: links, and so is a link whose address is not plain;
//   - HTML is text.
//
// Code, in blocks and in lines, stays as it is. Characters are those of Text.
// Markdown is idempotent.
func Markdown(s string) string {
	var out strings.Builder
	fence := ""
	for i, line := range strings.Split(Text(s), "\n") {
		if i > 0 {
			out.WriteByte('\n')
		}
		mark := fenceOf(line)
		switch {
		case fence == "" && mark != "":
			fence = mark
			out.WriteString(line)
		case fence != "":
			if strings.HasPrefix(mark, fence) && strings.TrimSpace(line) == mark {
				fence = ""
			}
			out.WriteString(line)
		default:
			out.WriteString(inline(line))
		}
	}
	return out.String()
}

// fenceOf is the run of backticks or tildes that opens or closes a block of code,
// "" if the line does neither.
func fenceOf(line string) string {
	rest := strings.TrimLeft(line, " ")
	if len(line)-len(rest) > 3 {
		return ""
	}
	for _, c := range []string{"`", "~"} {
		run := rest[:len(rest)-len(strings.TrimLeft(rest, c))]
		if len(run) >= 3 && !(c == "`" && strings.Contains(rest[len(run):], "`")) {
			return run
		}
	}
	return ""
}

// inline makes what is between the code of a line harmless.
func inline(line string) string {
	var out strings.Builder
	for line != "" {
		at := strings.IndexByte(line, '`')
		if at < 0 || at > 0 && line[at-1] == '\\' {
			at = len(line)
		}
		out.WriteString(plain(line[:at]))
		line = line[at:]
		run := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		end := closing(line[len(run):], run)
		if end < 0 {
			// No code after all.
			out.WriteString(run)
			line = line[len(run):]
			continue
		}
		out.WriteString(line[:len(run)+end])
		line = line[len(run)+end:]
	}
	return out.String()
}

// closing is where the run of backticks that ends a span of code ends, -1 if there
// is none.
func closing(s, run string) int {
	if run == "" {
		return -1
	}
	for at := 0; at < len(s); {
		begin := strings.IndexByte(s[at:], '`')
		if begin < 0 {
			return -1
		}
		begin += at
		end := begin + len(s[begin:]) - len(strings.TrimLeft(s[begin:], "`"))
		if end-begin == len(run) {
			return end
		}
		at = end
	}
	return -1
}

var (
	image      = regexp.MustCompile(`!\[([^\[\]]*)\]\(\s*<?(https?://[^\s()<>]+)>?(?:\s[^()]*)?\)`)
	target     = regexp.MustCompile(`\]\(`)
	harmless   = regexp.MustCompile(`^\]\(\s*<?(?:https?://|mailto:)[^\s()<>]*>?(?:\s+"[^"()]*")?\s*\)`)
	definition = regexp.MustCompile(`^(\s*(?:>\s*)*)\[([^\]]*)\]:`)
	tag        = regexp.MustCompile(`<[A-Za-z/!?]`)
	notAtag    = regexp.MustCompile(`^<(?:(?:https?://|mailto:)[^\s<>]*|U\+[0-9A-F]+)>`)
)

// plain makes text outside code harmless.
func plain(s string) string {
	s = image.ReplaceAllString(s, "[image: $1 $2]($2)")
	s = strings.ReplaceAll(s, "![", "! [")
	s = replaceAt(s, target, func(rest string) string {
		if harmless.MatchString(rest) {
			return rest[:2]
		}
		return "] ("
	})
	s = definition.ReplaceAllString(s, `$1[$2] :`)
	return replaceAt(s, tag, func(rest string) string {
		if notAtag.MatchString(rest) {
			return rest[:2]
		}
		return "< " + rest[1:2]
	})
}

// replaceAt replaces each match of two bytes by what with makes of the text from
// there on.
func replaceAt(s string, match *regexp.Regexp, with func(rest string) string) string {
	var out strings.Builder
	last := 0
	for _, m := range match.FindAllStringIndex(s, -1) {
		out.WriteString(s[last:m[0]])
		out.WriteString(with(s[m[0]:]))
		last = m[1]
	}
	out.WriteString(s[last:])
	return out.String()
}

// Message returns s as a notification shows it, in which some editors make links of
// "[text](address)" that run commands: there are none. Lines stay.
func Message(s string) string { return strings.ReplaceAll(Text(s), "](", "] (") }
