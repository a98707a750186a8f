package ahp

import (
	"slices"
	"sync"

	"ahp-lsp/bridge/ahp/internal/table"
)

// fileList is the files of a changeset in the host's order, found by id and by
// URI. It is persistent, like a Table: with and without return another list and
// cost the same in a list of a hundred and of a hundred thousand files, but for
// a slice of one pointer for each fileChunk of them.
//
// The zero list is empty. A list may be read from any goroutine.
type fileList struct {
	chunks []*[fileChunk]*ChangesetFile // nil files are holes
	end    int                          // places in use, holes included
	byID   table.Table[int]             // place
	byURI  table.Table[filePlaces]      // by the canonical URI of either side

	inOrder *orderedFiles // the files without the holes, made when asked for
}

// fileChunk is how many files are copied when one of them changes.
const fileChunk = 256

// filePlaces are the places of files that have a side at one URI: nearly always
// one.
type filePlaces struct {
	first int
	more  []int
}

type orderedFiles struct {
	once  sync.Once
	files []*ChangesetFile
}

// newFileList makes a list. Of files with the same id the last counts, in the
// place of the first.
func newFileList(files []*ChangesetFile) fileList {
	l := fileList{inOrder: &orderedFiles{}}
	for _, f := range files {
		l.put(f, true)
	}
	return l
}

func (l fileList) len() int { return l.byID.Len() }

func (l fileList) at(place int) *ChangesetFile { return l.chunks[place/fileChunk][place%fileChunk] }

func (l fileList) get(id string) *ChangesetFile {
	place, ok := l.byID.Get(id)
	if !ok {
		return nil
	}
	return l.at(place)
}

// with returns the list with f in the place of the file with its id, or at the
// end.
func (l fileList) with(f *ChangesetFile) fileList {
	l.put(f, false)
	return l
}

// put adds f to a list that is not shared yet: the struct is the caller's. fresh:
// so is what it points to.
func (l *fileList) put(f *ChangesetFile, fresh bool) {
	place, known := l.byID.Get(f.ID)
	if !known {
		place = l.end
		l.end++
		l.byID = l.byID.Put(f.ID, place, fresh)
	}
	var old *ChangesetFile
	if known {
		old = l.at(place)
	}
	was, is := old.uris(), f.uris()
	for _, uri := range was {
		if uri != "" && uri != is[0] && uri != is[1] {
			l.forget(uri, place)
		}
	}
	for _, uri := range is {
		if uri != "" && uri != was[0] && uri != was[1] {
			l.note(uri, place, fresh)
		}
	}
	l.set(place, f, fresh)
}

// without returns the list without the file with the id, which must be there.
func (l fileList) without(id string) fileList {
	place, _ := l.byID.Get(id)
	for _, uri := range l.at(place).uris() {
		if uri != "" {
			l.forget(uri, place)
		}
	}
	l.byID = l.byID.Remove(id)
	l.set(place, nil, false)
	if l.end >= fileChunk && l.len() < l.end/2 {
		return newFileList(l.all())
	}
	return l
}

func (l *fileList) set(place int, f *ChangesetFile, fresh bool) {
	at := place / fileChunk
	if !fresh {
		l.chunks = slices.Clone(l.chunks)
	}
	if at == len(l.chunks) {
		l.chunks = append(l.chunks, &[fileChunk]*ChangesetFile{})
	} else if !fresh {
		chunk := *l.chunks[at]
		l.chunks[at] = &chunk
	}
	l.chunks[at][place%fileChunk] = f
	if !fresh {
		l.inOrder = &orderedFiles{}
	}
}

func (l *fileList) note(uri string, place int, fresh bool) {
	places, shared := l.byURI.Get(uri)
	if !shared {
		places.first = place
	} else if places.first != place && !slices.Contains(places.more, place) {
		places.more = append(slices.Clip(places.more), place)
	}
	l.byURI = l.byURI.Put(uri, places, fresh)
}

func (l *fileList) forget(uri string, place int) {
	places, _ := l.byURI.Get(uri)
	all := append([]int{places.first}, places.more...)
	if all = slices.DeleteFunc(all, func(p int) bool { return p == place }); len(all) == 0 {
		l.byURI = l.byURI.Remove(uri)
		return
	}
	l.byURI = l.byURI.Put(uri, filePlaces{all[0], all[1:]}, false)
}

// atURI are the files that have a side at a canonical URI, in order.
func (l fileList) atURI(uri string) []*ChangesetFile {
	places, ok := l.byURI.Get(uri)
	if !ok {
		return nil
	}
	all := append([]int{places.first}, places.more...)
	slices.Sort(all)
	out := make([]*ChangesetFile, len(all))
	for i, place := range all {
		out[i] = l.at(place)
	}
	return out
}

// all are the files in order; the slice is shared.
func (l fileList) all() []*ChangesetFile {
	if l.inOrder == nil {
		return nil
	}
	l.inOrder.once.Do(func() {
		files := make([]*ChangesetFile, 0, l.len())
		for place := range l.end {
			if f := l.at(place); f != nil {
				files = append(files, f)
			}
		}
		l.inOrder.files = files
	})
	return l.inOrder.files
}

// uris are the canonical URIs of the file's sides, "" for a side that is absent
// or at the same place as the other one.
func (f *ChangesetFile) uris() (uris [2]string) {
	if f == nil {
		return uris
	}
	if f.After != nil {
		uris[0] = CanonicalURI(f.After.URI)
	}
	if f.Before != nil && (f.After == nil || f.Before.URI != f.After.URI) {
		if uri := CanonicalURI(f.Before.URI); uri != uris[0] {
			uris[1] = uri
		}
	}
	return uris
}
