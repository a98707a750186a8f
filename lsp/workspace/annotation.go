package workspace

import (
	"ahp-lsp/bridge/ahp"
	"ahp-lsp/bridge/remote"
)

// annotationChanged takes one annotation's new value. Its anchor is kept while
// the host says the same place: what it is about does not change by a reply. gone:
// it is out of reach, not deleted, and may come back.
func (w *Workspace) annotationChanged(uri string, ch remote.AnnotationChange, live, gone bool) {
	ses := w.session(uri)
	if ch.New == nil {
		if ch.Old != nil {
			w.annotationRemoved(ses, ThreadKey{uri, ch.Old.ID}, gone)
		}
		return
	}
	a := ch.New
	key := ThreadKey{uri, a.ID}
	f := w.home(w.ToLocal(a.Resource), key)
	var old *Thread
	if was := ses.threads[key.ID]; was != nil {
		old = was.threads[key]
		if was != f {
			delete(was.threads, key)
			w.touch(was)
		}
	}
	w.count.threads++
	t := &Thread{key: key, annotation: a, order: w.count.threads, seenMade: live && ch.Old == nil}
	if old != nil {
		t.order, t.former = old.order, old.former
	}
	if old != nil && ses.threads[key.ID] == f && sameRange(old.annotation.Range, a.Range) {
		t.anchor, t.placed, t.placedIn = old.anchor, old.placed, old.placedIn
		t.seenMade, t.noTurnText = old.seenMade, old.noTurnText
	}
	ses.threads[key.ID] = f
	f.threads[key] = t
	w.count.unresolved += countUnresolved(t) - countUnresolved(old)
	w.takeOwn(t, old)
	if t.anchor == nil {
		w.readDisk(f)
	}
	w.touch(f)
}

func (w *Workspace) annotationRemoved(ses *Session, key ThreadKey, gone bool) {
	f := ses.threads[key.ID]
	if f == nil {
		return
	}
	w.count.unresolved -= countUnresolved(f.threads[key])
	delete(f.threads, key)
	delete(ses.threads, key.ID)
	delete(w.moves.own, key)
	w.moves.forgetUnsaved(key)
	if !gone {
		ses.stored.forget(key.ID)
	}
	w.touch(f)
}

func countUnresolved(t *Thread) int {
	if t == nil || t.annotation.Resolved {
		return 0
	}
	return 1
}

func sameRange(a, b *ahp.Range) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}
