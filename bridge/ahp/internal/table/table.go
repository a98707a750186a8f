// Package table has a persistent map. A state of the protocol is replaced, never
// changed, by each action: with it the next state costs what the action touches.
package table

import (
	"hash/maphash"
	"math/bits"
	"slices"
)

// Table is a persistent map from strings: Put and Remove leave the Table they
// are called on as it is and return another one that shares nearly all of its
// memory. They cost the same in a table of a hundred and of a hundred thousand.
// It is a hash trie with 32-way nodes that hold only what is there.
//
// The zero Table is empty. A Table may be read from any goroutine.
type Table[V any] struct {
	root *node[V]
	n    int
}

// Len is the number of keys.
func (t Table[V]) Len() int { return t.n }

type node[V any] struct {
	// present has a bit for each of the 32 places that is taken. Where the hash
	// is used up it is 0 and slots are searched.
	present uint32
	slots   []slot[V]
}

// slot is a key with its value, or a node below.
type slot[V any] struct {
	below *node[V] // nil: key and value
	key   string
	value V
}

const (
	placeBits = 5
	hashBits  = 64
)

var seed = maphash.MakeSeed()

// Get returns the value of a key.
func (t Table[V]) Get(key string) (v V, ok bool) {
	h := maphash.String(seed, key)
	for n, shift := t.root, 0; n != nil; shift += placeBits {
		i, taken := n.find(h, shift, key)
		if !taken {
			break
		}
		s := &n.slots[i]
		if s.below == nil {
			if s.key == key {
				return s.value, true
			}
			break
		}
		n = s.below
	}
	return v, false
}

// find is where the key is in the node, or would be.
func (n *node[V]) find(h uint64, shift int, key string) (i int, taken bool) {
	if shift >= hashBits {
		i = slices.IndexFunc(n.slots, func(s slot[V]) bool { return s.key == key })
		if i < 0 {
			return len(n.slots), false
		}
		return i, true
	}
	bit := uint32(1) << (h >> shift & (1<<placeBits - 1))
	return bits.OnesCount32(n.present & (bit - 1)), n.present&bit != 0
}

// Put returns the Table with the key. fresh: nobody else has the Table yet, so
// that its nodes can be changed in place.
func (t Table[V]) Put(key string, v V, fresh bool) Table[V] {
	root, added := t.root.put(maphash.String(seed, key), 0, slot[V]{key: key, value: v}, fresh)
	if added {
		t.n++
	}
	t.root = root
	return t
}

func (n *node[V]) put(h uint64, shift int, leaf slot[V], fresh bool) (next *node[V], added bool) {
	if n == nil {
		n, fresh = &node[V]{}, true
	}
	if !fresh {
		n = &node[V]{present: n.present, slots: slices.Clone(n.slots)}
	}
	i, taken := n.find(h, shift, leaf.key)
	if !taken {
		n.slots = slices.Insert(n.slots, i, leaf)
		if shift < hashBits {
			n.present |= 1 << (h >> shift & (1<<placeBits - 1))
		}
		return n, true
	}
	switch s := &n.slots[i]; {
	case s.below != nil:
		s.below, added = s.below.put(h, shift+placeBits, leaf, fresh)
	case s.key == leaf.key:
		s.value = leaf.value
	default: // two keys in one place: one level down
		other := *s
		below, _ := (*node[V])(nil).put(maphash.String(seed, other.key), shift+placeBits, other, true)
		below, _ = below.put(h, shift+placeBits, leaf, true)
		*s, added = slot[V]{below: below}, true
	}
	return n, added
}

// Remove returns the Table without the key.
func (t Table[V]) Remove(key string) Table[V] {
	if _, ok := t.Get(key); !ok {
		return t
	}
	return Table[V]{root: t.root.remove(maphash.String(seed, key), 0, key), n: t.n - 1}
}

// remove takes out a key that is there.
func (n *node[V]) remove(h uint64, shift int, key string) *node[V] {
	i, _ := n.find(h, shift, key)
	next := &node[V]{present: n.present, slots: slices.Clone(n.slots)}
	if below := n.slots[i].below; below != nil {
		if below = below.remove(h, shift+placeBits, key); below != nil {
			next.slots[i].below = below
			return next
		}
	}
	if len(n.slots) == 1 {
		return nil
	}
	next.slots = slices.Delete(next.slots, i, i+1)
	if shift < hashBits {
		next.present &^= 1 << (h >> shift & (1<<placeBits - 1))
	}
	return next
}
