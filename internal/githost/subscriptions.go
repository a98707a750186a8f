package githost

// subscriptions are the channels that a connection is subscribed to: by the URI
// that the host has for a channel, the spellings that the client uses. It sees each
// channel under its own spelling. The Host's mutex guards it.
type subscriptions map[string][]string

// add reports whether the client was not subscribed under this spelling yet.
func (s subscriptions) add(uri, spelling string) bool {
	if s.has(uri, spelling) {
		return false
	}
	s[uri] = append(s[uri], spelling)
	return true
}

func (s subscriptions) has(uri, spelling string) bool {
	for _, known := range s[uri] {
		if known == spelling {
			return true
		}
	}
	return false
}

func (s subscriptions) remove(uri, spelling string) {
	var rest []string
	for _, known := range s[uri] {
		if known != spelling {
			rest = append(rest, known)
		}
	}
	if s[uri] = rest; len(rest) == 0 {
		delete(s, uri)
	}
}
