package hosts

import (
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// TokenInClear reports whether a token goes over the network unencrypted: to a ws://
// address of another machine. token says that there is one beside the address, which
// may hold one itself.
func TokenInClear(address string, token bool) bool {
	u, err := url.Parse(address)
	if err != nil || !strings.EqualFold(u.Scheme, "ws") {
		return false
	}
	return (token || u.Query().Has("tkn") || u.User != nil) && !thisMachine(u.Hostname())
}

// OpenToOthers reports whether other machines can reach a listener on this TCP address,
// HOST:PORT. Without a host the embedded host listens on this machine only.
func OpenToOthers(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && host != "" && !thisMachine(host)
}

// thisMachine reports whether a name or an address of a host is the loopback's.
func thisMachine(host string) bool {
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().WithZone("").IsLoopback()
}
