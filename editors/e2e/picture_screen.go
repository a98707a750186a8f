package e2e

import (
	"fmt"
	"html"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// style is how a cell looks. Colours are CSS; "" is the terminal's own.
type style struct {
	fg, bg, line                              string
	bold, dim, italic, underline, curly, flip bool
	strike                                    bool
}

type cell struct {
	text  string
	style style
}

type row []cell

type screen []row

// reverse marks the cell under the cursor.
func (r row) reverse(x int) {
	if x < len(r) {
		r[x].style.flip = !r[x].style.flip
	}
}

// parseScreen reads what tmux captured: text, and escape sequences for its looks.
func parseScreen(captured string) screen {
	var all screen
	var now style
	for line := range strings.SplitSeq(strings.TrimSuffix(captured, "\n"), "\n") {
		var r row
		for line != "" {
			if rest, ok := strings.CutPrefix(line, "\x1b["); ok {
				sequence, after, _ := strings.Cut(rest, "m")
				now = now.apply(sequence)
				line = after
				continue
			}
			if rest, ok := strings.CutPrefix(line, "\x1b]"); ok { // a link
				_, line, _ = strings.Cut(rest, "\x1b\\")
				continue
			}
			_, n := utf8.DecodeRuneInString(line)
			r = append(r, cell{line[:n], now})
			line = line[n:]
		}
		all = append(all, r)
	}
	return all
}

// apply follows a "select graphic rendition" sequence.
func (s style) apply(sequence string) style {
	codes := strings.Split(sequence, ";")
	for i := 0; i < len(codes); i++ {
		code := codes[i]
		switch code {
		case "", "0":
			s = style{}
		case "1":
			s.bold = true
		case "2":
			s.dim = true
		case "3":
			s.italic = true
		case "4", "4:1":
			s.underline = true
		case "4:2", "4:3", "4:4", "4:5":
			s.curly = true
		case "7":
			s.flip = true
		case "9":
			s.strike = true
		case "22":
			s.bold, s.dim = false, false
		case "23":
			s.italic = false
		case "24", "4:0":
			s.underline, s.curly = false, false
		case "27":
			s.flip = false
		case "29":
			s.strike = false
		case "38", "48", "58":
			var value string
			value, i = colour(codes, i)
			s.set(code, value)
		case "39", "49", "59":
			s.set(code, "")
		default:
			if parts := strings.Split(code, ":"); len(parts) > 1 { // 58:2::R:G:B
				value, _ := colour(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), 0)
				s.set(parts[0], value)
			} else if n, err := strconv.Atoi(code); err == nil {
				switch {
				case n >= 30 && n < 38:
					s.fg = palette(n - 30)
				case n >= 40 && n < 48:
					s.bg = palette(n - 40)
				case n >= 90 && n < 98:
					s.fg = palette(n - 90 + 8)
				case n >= 100 && n < 108:
					s.bg = palette(n - 100 + 8)
				}
			}
		}
	}
	return s
}

func (s *style) set(code, value string) {
	switch code {
	case "38", "39":
		s.fg = value
	case "48", "49":
		s.bg = value
	case "58", "59":
		s.line = value
	}
}

// colour reads a colour that begins at codes[i], and returns where it ends.
func colour(codes []string, i int) (string, int) {
	number := func(at int) int {
		if at >= len(codes) {
			return 0
		}
		n, _ := strconv.Atoi(codes[at])
		return n
	}
	if number(i+1) == 2 {
		return fmt.Sprintf("#%02x%02x%02x", number(i+2), number(i+3), number(i+4)), i + 4
	}
	return palette(number(i + 2)), i + 2
}

// palette is a colour of xterm's 256.
func palette(n int) string {
	basic := [16]string{"#000000", "#cd3131", "#0dbc79", "#e5e510", "#2472c8", "#bc3fbc", "#11a8cd", "#e5e5e5",
		"#666666", "#f14c4c", "#23d18b", "#f5f543", "#3b8eea", "#d670d6", "#29b8db", "#ffffff"}
	switch {
	case n < 16:
		return basic[max(n, 0)]
	case n < 232:
		step := func(v int) int { return min(v, 1)*55 + v*40 }
		return fmt.Sprintf("#%02x%02x%02x", step((n-16)/36), step((n-16)/6%6), step((n-16)%6))
	default:
		grey := 8 + 10*(n-232)
		return fmt.Sprintf("#%02x%02x%02x", grey, grey, grey)
	}
}

// background is the colour that most of the screen has.
func (s screen) background() string {
	counts := map[string]int{}
	most := "#1e1e1e"
	for _, r := range s {
		for _, c := range r {
			if counts[c.style.bg]++; c.style.bg != "" && counts[c.style.bg] > counts[most] {
				most = c.style.bg
			}
		}
	}
	return most
}

// html writes each cell at its place, so that no font can shift what follows.
func (s screen) html(columns int) string {
	ground := s.background()
	var b strings.Builder
	fmt.Fprintf(&b, `<!doctype html><meta charset="utf-8"><style>
html, body { margin: 0; background: %s; color: #d4d4d4 }
body { padding: %dpx }
div { position: relative; height: %dpx; width: %dpx; white-space: pre; font: %s/%dpx "DejaVu Sans Mono", monospace; font-variant-ligatures: none }
span { position: absolute; height: %dpx }
</style>
`, ground, margin, cellHeight, columns*cellWidth, fontSize, cellHeight, cellHeight)
	for _, r := range s {
		b.WriteString("<div>")
		for start := 0; start < len(r); {
			end := start + 1
			if len(r[start].text) == 1 { // others have a cell of their own: their font may be another
				for end < len(r) && r[end].style == r[start].style && len(r[end].text) == 1 {
					end++
				}
			}
			var text strings.Builder
			for _, c := range r[start:end] {
				text.WriteString(c.text)
			}
			fmt.Fprintf(&b, `<span style="left:%dpx;width:%dpx;%s">%s</span>`, start*cellWidth, (end-start)*cellWidth, r[start].style.css(ground), html.EscapeString(text.String()))
			start = end
		}
		b.WriteString("</div>\n")
	}
	return b.String()
}

func (s style) css(ground string) string {
	fg, bg := s.fg, s.bg
	if s.flip {
		if fg == "" {
			fg = "#d4d4d4"
		}
		if bg == "" {
			bg = ground
		}
		fg, bg = bg, fg
	}
	var css strings.Builder
	for _, property := range []struct {
		wanted bool
		text   string
	}{
		{fg != "", "color:" + fg}, {bg != "" && bg != ground, "background:" + bg}, {s.bold, "font-weight:bold"}, {s.italic, "font-style:italic"},
		{s.dim, "opacity:.6"}, {s.strike, "text-decoration:line-through"}, {s.underline, "text-decoration:underline " + s.line},
		{s.curly, "text-decoration:underline wavy 1px " + s.line},
	} {
		if property.wanted {
			css.WriteString(property.text + ";")
		}
	}
	return css.String()
}
