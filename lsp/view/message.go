package view

import (
	"encoding/json"
	"fmt"
	"strings"

	"ahp-lsp/bridge/ahp"
	"ahp-lsp/bridge/remote"
)

// TakenBack says what became of an action of the user's that did not last, with
// the user's text, which is nowhere else any more. what begins the sentence: "the
// host refused".
func (v View) TakenBack(what string, ch remote.Rejected) string {
	message := fmt.Sprintf("%s %s: %s", what, describeAction(ch.Action.Type), ch.Reason)
	var a struct {
		Annotation struct {
			ID      string      `json:"id"`
			Entries []ahp.Entry `json:"entries"`
		} `json:"annotation"`
		Entry ahp.Entry `json:"entry"`
	}
	_ = json.Unmarshal(ch.Action.Raw, &a) // made here
	text := a.Entry.Text.Value
	if n := len(a.Annotation.Entries); n > 0 {
		if _, _, err := v.w.Thread(strings.TrimSuffix(ch.Channel, "/annotations"), a.Annotation.ID); err != nil {
			text = a.Annotation.Entries[n-1].Text.Value
		}
	}
	if text != "" {
		message += "\nYour text was: " + text
	}
	return message
}

func describeAction(kind string) string {
	switch kind {
	case ahp.TypeAnnotationsSet:
		return "the comment"
	case ahp.TypeAnnotationsUpdated:
		return "the change of the comment's state"
	case ahp.TypeAnnotationsRemoved:
		return "the deletion of the comment"
	case ahp.TypeAnnotationsEntrySet:
		return "the reply"
	case ahp.TypeChangesetFilesReviewChanged, ahp.TypeChangesetFilesReviewedChanged:
		return "the reviewed flag"
	}
	return kind
}
