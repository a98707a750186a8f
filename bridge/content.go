package bridge

import (
	"container/list"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"ahp-lsp/bridge/ahp"
)

const contentCacheBytes = 32 << 20

// ErrContent: the host could not give the content of a reference.
var ErrContent = errors.New("the host cannot read the content")

// Read returns the bytes a content reference stands for (resourceRead), which need
// not be UTF-8. Immutable content is cached; file: content is read each time.
// Errors: ErrNotConnected, and ErrContent around everything else.
func (c *Client) Read(ctx context.Context, ref ahp.ContentRef) ([]byte, error) {
	key := ref.URI + "\x00" + ref.Nonce
	keep := immutable(ref)
	if keep {
		if data, ok := c.content.get(key); ok {
			return data, nil
		}
	}
	cn, err := c.live()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	var r ahp.ResourceReadResult
	// utf-8 is asked for and both encodings are understood: a host sends
	// base64 for what it takes for binary.
	err = cn.call(ctx, "resourceRead", ahp.ResourceReadParams{Channel: ahp.RootURI, URI: ref.URI, Encoding: "utf-8"}, &r)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrContent, err)
	}
	data := []byte(r.Data)
	if r.Encoding == "base64" {
		if data, err = base64.StdEncoding.DecodeString(strings.TrimSpace(r.Data)); err != nil {
			return nil, fmt.Errorf("%w: bad base64: %w", ErrContent, err)
		}
	}
	if keep {
		c.content.put(key, data)
	}
	return data, nil
}

var gitObject = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)sha(%22%3A%22|":"|=)[0-9a-f]{40,64}(%22|"|&|$)`)
})

// immutable reports whether a reference names content that cannot change: it
// has a nonce, or it names a git object by its hash. A git-blob of a ref, or a
// file, can.
func immutable(ref ahp.ContentRef) bool {
	if strings.HasPrefix(ref.URI, "file:") {
		return false
	}
	return ref.Nonce != "" || strings.HasPrefix(ref.URI, "session-db:") || gitObject().MatchString(ref.URI)
}

// contentCache keeps the most recently used contents, bounded by their size.
type contentCache struct {
	mu    sync.Mutex
	limit int
	size  int
	order *list.List // of *cachedContent, most recent first
	byKey map[string]*list.Element
}

type cachedContent struct {
	key  string
	data []byte
}

func newContentCache(limit int) *contentCache {
	return &contentCache{limit: limit, order: list.New(), byKey: map[string]*list.Element{}}
}

func (cc *contentCache) get(key string) ([]byte, bool) {
	cc.mu.Lock()
	defer cc.mu.Unlock()
	e, ok := cc.byKey[key]
	if !ok {
		return nil, false
	}
	cc.order.MoveToFront(e)
	return e.Value.(*cachedContent).data, true
}

func (cc *contentCache) put(key string, data []byte) {
	cc.mu.Lock()
	defer cc.mu.Unlock()
	if _, ok := cc.byKey[key]; ok || len(data) > cc.limit/4 {
		return
	}
	cc.byKey[key] = cc.order.PushFront(&cachedContent{key, data})
	for cc.size += len(data); cc.size > cc.limit; {
		oldest := cc.order.Remove(cc.order.Back()).(*cachedContent)
		delete(cc.byKey, oldest.key)
		cc.size -= len(oldest.data)
	}
}
