package ahp

import (
	"net/url"
	"path"
	"strings"
)

// FilePath returns the slash-separated path a resource names: of a file: URI
// in any of the spellings editors and hosts use, or of a plain absolute path,
// which agents write. A Windows path comes back as c:/dir/file with a
// lower-case drive, a share as //host/share/file. ok is false for everything
// else. Bytes are left alone: no case folding, no Unicode normalisation.
func FilePath(resource string) (p string, ok bool) {
	if len(resource) < len("file:") || !strings.EqualFold(resource[:len("file:")], "file:") {
		return plainPath(resource)
	}
	rest, _, _ := strings.Cut(resource[len("file:"):], "#")
	rest, _, _ = strings.Cut(rest, "?")
	after, authority := strings.CutPrefix(rest, "//")
	if !authority {
		return plainPath(unescape(rest))
	}
	host, rest, _ := strings.Cut(after, "/")
	return hostPath(unescape(host), "/"+unescape(rest))
}

// hostPath reads a path, which starts with a slash, on a host.
func hostPath(host, p string) (string, bool) {
	switch {
	case isDrive(host): // file://c:/dir, where file:///c:/dir is meant
		return windowsPath(host + p), true
	case host == "", strings.EqualFold(host, "localhost"):
		return plainPath(p)
	case strings.ContainsAny(host, `/\`):
		return "", false
	}
	return "//" + strings.ToLower(host) + path.Clean(p), true
}

// plainPath reads an absolute path of this or of another system.
func plainPath(p string) (string, bool) {
	switch {
	case isDrive(p):
		return windowsPath(p), true
	case strings.HasPrefix(p, `\\`):
		host, rest, _ := strings.Cut(strings.ReplaceAll(p[2:], `\`, "/"), "/")
		if host == "" {
			return "", false
		}
		return hostPath(host, "/"+rest)
	case strings.HasPrefix(p, "/"):
		if p = path.Clean(p); isDrive(p[1:]) { // the path of file:///c:/dir
			return windowsPath(p[1:]), true
		}
		return p, true
	}
	return "", false
}

// isDrive reports whether p is c: or starts with c:/ or c:\.
func isDrive(p string) bool {
	return len(p) >= 2 && p[1] == ':' && 'a' <= p[0]|0x20 && p[0]|0x20 <= 'z' &&
		(len(p) == 2 || p[2] == '/' || p[2] == '\\')
}

func windowsPath(p string) string {
	return strings.ToLower(p[:1]) + ":" + path.Clean("/"+strings.ReplaceAll(p[2:], `\`, "/"))
}

// unescape decodes %XX; a stray % in a name is taken as it stands.
func unescape(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) && isHex([]byte(s[i+1:i+3])) {
			b.WriteByte(hexDigit(s[i+1])<<4 | hexDigit(s[i+2]))
			i += 2
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func hexDigit(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}

// FileURI is the URI of an absolute slash-separated path, in one spelling.
func FileURI(p string) string {
	host := ""
	if after, ok := strings.CutPrefix(p, "//"); ok {
		host, p, _ = strings.Cut(after, "/")
	}
	if !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	return "file://" + url.PathEscape(host) + (&url.URL{Path: p}).EscapedPath()
}

// CanonicalURI spells a resource in one way, so that it can be compared and
// used as a key: file URIs and absolute paths become FileURI of their path,
// everything else stays.
func CanonicalURI(resource string) string {
	if plainlyCanonical(resource) {
		return resource
	}
	if p, ok := FilePath(resource); ok {
		return FileURI(p)
	}
	return resource
}

// plainlyCanonical recognises what most resources are, without taking them apart.
func plainlyCanonical(resource string) bool {
	p, ok := strings.CutPrefix(resource, "file:///")
	if !ok || p == "" {
		return false
	}
	for i := range len(p) {
		switch c := p[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-':
		case c == '.' && i > 0 && p[i-1] != '/': // no segment of dots
		case c == '/' && i > 0 && p[i-1] != '/' && i < len(p)-1:
		default:
			return false
		}
	}
	return true
}
