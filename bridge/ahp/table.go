package ahp

import (
	"hash/maphash"
	"math/bits"
	"slices"
)

// table is a persistent map from strings: put and remove leave the table they
// are called on as it is and return another one that shares nearly all of its
// memory. They cost the same in a table of a hundred and of a hundred thousand.
// It is a hash trie with 32-way nodes that hold only what is there.
//
// The zero table is empty. A table may be read from any goroutine.
type table[V any] struct {
	root *tableNode[V]
	n    int
}

type tableNode[V any] struct {
	// present has a bit for each of the 32 places that is taken. Where the hash
	// is used up it is 0 and slots are searched.
	present uint32
	slots   []tableSlot[V]
}

// tableSlot is a key with its value, or a node below.
type tableSlot[V any] struct {
	below *tableNode[V] // nil: key and value
	key   string
	value V
}

const (
	tableBits = 5
	hashBits  = 64
)

var tableSeed = maphash.MakeSeed()

func (t table[V]) get(key string) (v V, ok bool) {
	h := maphash.String(tableSeed, key)
	for n, shift := t.root, 0; n != nil; shift += tableBits {
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
func (n *tableNode[V]) find(h uint64, shift int, key string) (i int, taken bool) {
	if shift >= hashBits {
		i = slices.IndexFunc(n.slots, func(s tableSlot[V]) bool { return s.key == key })
		if i < 0 {
			return len(n.slots), false
		}
		return i, true
	}
	bit := uint32(1) << (h >> shift & (1<<tableBits - 1))
	return bits.OnesCount32(n.present & (bit - 1)), n.present&bit != 0
}

// put returns the table with the key. fresh: nobody else has the table yet, so
// that its nodes can be changed in place.
func (t table[V]) put(key string, v V, fresh bool) table[V] {
	root, added := t.root.put(maphash.String(tableSeed, key), 0, tableSlot[V]{key: key, value: v}, fresh)
	if added {
		t.n++
	}
	t.root = root
	return t
}

func (n *tableNode[V]) put(h uint64, shift int, leaf tableSlot[V], fresh bool) (next *tableNode[V], added bool) {
	if n == nil {
		n, fresh = &tableNode[V]{}, true
	}
	if !fresh {
		n = &tableNode[V]{present: n.present, slots: slices.Clone(n.slots)}
	}
	i, taken := n.find(h, shift, leaf.key)
	if !taken {
		n.slots = slices.Insert(n.slots, i, leaf)
		if shift < hashBits {
			n.present |= 1 << (h >> shift & (1<<tableBits - 1))
		}
		return n, true
	}
	switch s := &n.slots[i]; {
	case s.below != nil:
		s.below, added = s.below.put(h, shift+tableBits, leaf, fresh)
	case s.key == leaf.key:
		s.value = leaf.value
	default: // two keys in one place: one level down
		other := *s
		below, _ := (*tableNode[V])(nil).put(maphash.String(tableSeed, other.key), shift+tableBits, other, true)
		below, _ = below.put(h, shift+tableBits, leaf, true)
		*s, added = tableSlot[V]{below: below}, true
	}
	return n, added
}

// remove returns the table without the key.
func (t table[V]) remove(key string) table[V] {
	if _, ok := t.get(key); !ok {
		return t
	}
	return table[V]{root: t.root.remove(maphash.String(tableSeed, key), 0, key), n: t.n - 1}
}

// remove takes out a key that is there.
func (n *tableNode[V]) remove(h uint64, shift int, key string) *tableNode[V] {
	i, _ := n.find(h, shift, key)
	next := &tableNode[V]{present: n.present, slots: slices.Clone(n.slots)}
	if below := n.slots[i].below; below != nil {
		if below = below.remove(h, shift+tableBits, key); below != nil {
			next.slots[i].below = below
			return next
		}
	}
	if len(n.slots) == 1 {
		return nil
	}
	next.slots = slices.Delete(next.slots, i, i+1)
	if shift < hashBits {
		next.present &^= 1 << (h >> shift & (1<<tableBits - 1))
	}
	return next
}
