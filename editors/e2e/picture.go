package e2e

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

// Resize gives the terminal another size.
func (t *Terminal) Resize(columns, rows int) {
	t.t.Helper()
	if out, err := t.tmux("resize-window", "-x", strconv.Itoa(columns), "-y", strconv.Itoa(rows)).CombinedOutput(); err != nil {
		t.t.Fatalf("resize: %v %s", err, out)
	}
}

// Picture makes a PNG of the terminal as it is now: tmux tells the text and its colours, and a
// browser without a window draws them.
func (t *Terminal) Picture(path string) {
	t.t.Helper()
	browser := chromium(t.t)
	size, err := t.tmux("display-message", "-p", "#{pane_width} #{pane_height} #{cursor_x} #{cursor_y} #{cursor_flag}").Output()
	if err != nil {
		t.t.Fatalf("the terminal is gone: %v", err)
	}
	var columns, rows, x, y, shown int
	if _, err := fmt.Sscan(string(size), &columns, &rows, &x, &y, &shown); err != nil {
		t.t.Fatalf("tmux said %q: %v", size, err)
	}
	screen := parseScreen(t.capture("-e", "-N"))
	if shown == 1 && y < len(screen) {
		screen[y].reverse(x)
	}
	dir := t.t.TempDir()
	page := writeFile(t.t, filepath.Join(dir, "screen.html"), screen.html(columns), 0o644)
	shot := filepath.Join(dir, "screen.png")
	// Its own profile, so that a browser which runs already is not asked to do it.
	cmd := exec.Command(browser, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--user-data-dir="+filepath.Join(dir, "profile"),
		"--force-device-scale-factor=2", fmt.Sprintf("--window-size=%d,%d", columns*cellWidth+2*margin, rows*cellHeight+2*margin), "--screenshot="+shot, "file://"+page)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.t.Fatalf("%s: %v\n%s", browser, err, out)
	}
	small, err := smallPNG([]byte(ReadFile(t.t, shot)))
	if err != nil {
		t.t.Fatal(err)
	}
	writeFile(t.t, path, string(small), 0o644)
}

// chromium is the browser that draws pictures, see editors/vscode/e2e/run.sh.
func chromium(t testing.TB) string {
	t.Helper()
	names := []string{"chromium", "chromium-browser", "google-chrome"}
	if named := os.Getenv("AHP_E2E_CHROMIUM"); named != "" {
		names = []string{named}
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	missing(t, "no Chromium to make pictures with: apt-get install chromium fonts-dejavu-core")
	return ""
}

// The size of a cell of the terminal in the picture, before it is scaled up. The width is one
// that the font has at a whole size; the height is no more than the font's own, so that lines
// which are drawn with letters join.
const (
	cellWidth  = 9
	cellHeight = 17
	fontSize   = "14.95px" // 9 / 0.602, the width of DejaVu Sans Mono
	margin     = 8
)

// smallPNG encodes a picture again, with as few bytes as possible: a screen has few colours, and
// what lies between two of them at the edge of a letter may be any colour close by.
func smallPNG(data []byte) ([]byte, error) {
	full, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	bounds := full.Bounds()
	counts := map[color.RGBA]int{}
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(full.At(x, y)).(color.RGBA) }
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			counts[at(x, y)]++
		}
	}
	colours := make([]color.RGBA, 0, len(counts))
	for c := range counts {
		colours = append(colours, c)
	}
	slices.SortFunc(colours, func(a, b color.RGBA) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return bytes.Compare([]byte{a.R, a.G, a.B}, []byte{b.R, b.G, b.B})
	})
	var chosen color.Palette
	for _, c := range colours {
		if len(chosen) < 256 {
			chosen = append(chosen, c)
		}
	}
	indexes := map[color.RGBA]uint8{}
	for _, c := range colours {
		indexes[c] = uint8(chosen.Index(c))
	}
	out := image.NewPaletted(bounds, chosen)
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			out.SetColorIndex(x, y, indexes[at(x, y)])
		}
	}
	var b bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, out)
	return b.Bytes(), err
}
