package ahp

import (
	"net/url"
	"path"
	"regexp"
	"strings"
)

var windowsPath = regexp.MustCompile(`^/?[A-Za-z]:[\\/]`)

// FilePath returns the slash-separated path a resource names: of a file: URI
// in any of the spellings editors and hosts use, or of a plain absolute path,
// which agents write. A Windows path comes back as c:/dir/file with a
// lower-case drive. ok is false for everything else.
func FilePath(resource string) (p string, ok bool) {
	switch {
	case strings.HasPrefix(resource, "file:"):
		rest := strings.TrimPrefix(resource, "file:")
		host := ""
		if strings.HasPrefix(rest, "//") {
			host, rest, _ = strings.Cut(rest[2:], "/")
			rest = "/" + rest
		}
		rest, _, _ = strings.Cut(rest, "#")
		rest, _, _ = strings.Cut(rest, "?")
		decoded, err := url.PathUnescape(rest)
		if err != nil {
			decoded = rest // a stray % in a name: take it as it stands
		}
		if host != "" && host != "localhost" {
			return "//" + host + path.Clean(decoded), true
		}
		p = decoded
	case strings.HasPrefix(resource, "/"), windowsPath.MatchString(resource):
		p = resource
	default:
		return "", false
	}
	if windowsPath.MatchString(p) {
		p = strings.ReplaceAll(strings.TrimPrefix(p, "/"), `\`, "/")
		p = strings.ToLower(p[:1]) + p[1:]
	}
	if !strings.HasPrefix(p, "/") && !windowsPath.MatchString(p) {
		return "", false
	}
	return path.Clean(p), true
}

// FileURI is the URI of an absolute slash-separated path, in one spelling.
func FileURI(p string) string {
	if host, rest, ok := strings.Cut(strings.TrimPrefix(p, "//"), "/"); ok && strings.HasPrefix(p, "//") {
		return (&url.URL{Scheme: "file", Host: host, Path: "/" + rest}).String()
	}
	if !strings.HasPrefix(p, "/") {
		p = "/" + p
	}
	return (&url.URL{Scheme: "file", Path: p}).String()
}

// CanonicalURI spells a resource in one way, so that it can be compared and
// used as a key: file URIs and absolute paths become FileURI of their path,
// everything else stays.
func CanonicalURI(resource string) string {
	if p, ok := FilePath(resource); ok {
		return FileURI(p)
	}
	return resource
}
