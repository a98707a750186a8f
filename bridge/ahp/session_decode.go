package ahp

import "strings"

// DecodeSession reads a snapshot's state; never nil, faults in the error.
func DecodeSession(data []byte) (*Session, error) {
	s := &Session{}
	if isNull(data) {
		return s, nil
	}
	d := newDecoder("session state", data)
	if d.object() {
		for key, ok := d.next(); ok; key, ok = d.next() {
			d.sessionMember(s, key)
		}
	}
	ok, err := d.finish()
	if !ok {
		return &Session{}, err
	}
	return s, err
}

func (d *decoder) sessionMember(s *Session, key []byte) {
	switch string(key) {
	case "provider":
		s.Provider = d.str()
	case "title":
		s.Title = d.str()
	case "status":
		s.Status = d.int()
	case "lifecycle":
		s.Lifecycle = d.str()
		if s.Lifecycle == "failed" {
			s.Lifecycle = LifecycleCreationFailed
		}
	case "creationError":
		s.CreationError = d.errorInfo()
	case "defaultChat":
		s.DefaultChat = d.str()
	case "workingDirectory":
		s.workingDirectory = d.directory()
	case "workingDirectories":
		s.workingDirectories, s.hasDirectories = d.directories()
	case "chats":
		s.Chats = d.chats()
	case "changesets":
		s.Changesets, s.hasChangesets = d.catalogue()
	case "inputNeeded":
		s.InputNeeded, _ = d.inputsNeeded()
	case "_meta":
		s.Meta = d.keep()
	default:
		d.other(&s.extra, key)
	}
}

func (d *decoder) chats() (chats []ChatSummary) {
	if !d.array() {
		return nil
	}
	seen := map[string]int{}
	for d.elem() {
		c, ok := d.chatSummary()
		if !ok {
			continue
		}
		if i, twice := seen[c.Resource]; twice {
			chats[i] = c
			continue
		}
		seen[c.Resource] = len(chats)
		chats = append(chats, c)
	}
	return chats
}

func (d *decoder) chatSummary() (ChatSummary, bool) {
	o, ok := d.rawObject()
	if !ok {
		return ChatSummary{}, false
	}
	c := d.newChatSummary(o)
	if c.Resource == "" {
		d.missing("resource")
		return ChatSummary{}, false
	}
	return c, true
}

func (d *decoder) newChatSummary(o object) ChatSummary {
	c := ChatSummary{raw: o}
	d.with(o, "resource", func() { c.Resource = d.str() })
	d.with(o, "title", func() { c.Title = d.str() })
	d.with(o, "status", func() { c.Status = d.int() })
	return c
}

// catalogue reads a list of changesets; present is false if there is no list.
func (d *decoder) catalogue() (entries []CatalogueEntry, present bool) {
	if !d.array() {
		return nil, false
	}
	for d.elem() {
		o, ok := d.rawObject()
		if !ok {
			continue
		}
		c := CatalogueEntry{raw: o}
		d.with(o, "label", func() { c.Label = d.str() })
		d.with(o, "description", func() { c.Description = d.str() })
		d.with(o, "uriTemplate", func() { c.Template = d.str() })
		d.with(o, "changeKind", func() { c.Kind = d.str() })
		d.with(o, "capabilities", func() {
			if caps, ok := d.rawObject(); ok {
				review := caps["review"]
				c.Review = !isNull(review) && !strings.HasPrefix(string(review), "false")
			}
		})
		if c.Template == "" {
			d.missing("uriTemplate")
			continue
		}
		entries = append(entries, c)
	}
	return entries, true
}

// directory reads a working directory: a URI, or an object with one, which
// newer drafts have.
func (d *decoder) directory() (uri string) {
	if d.peek() != '{' {
		return d.str()
	}
	d.enter(false)
	for key, ok := d.next(); ok; key, ok = d.next() {
		if string(key) == "uri" {
			uri = d.str()
		} else {
			d.skip()
		}
	}
	return uri
}

func (d *decoder) directories() (uris []string, ok bool) {
	if !d.array() {
		return nil, false
	}
	for d.elem() {
		if uri := d.directory(); uri != "" {
			uris = append(uris, uri)
		}
	}
	return uris, true
}
