package ahp

import (
	"encoding/json"
	"maps"
)

// Kinds of questions. An unknown kind can be answered where the request is
// shown by the host itself.
const (
	QuestionText         = "text"
	QuestionNumber       = "number"
	QuestionInteger      = "integer"
	QuestionBoolean      = "boolean"
	QuestionSingleSelect = "single-select"
	QuestionMultiSelect  = "multi-select"
)

// InputForm is what the agent asks a person (specification: ChatInputRequest).
// It is immutable.
type InputForm struct {
	ID        string
	Message   string
	URL       string // a page to visit instead of, or before, answering
	Questions []Question
	// Answers are those given so far, also by other clients, by question id: see
	// Answer for their form.
	Answers map[string]json.RawMessage
}

// Question is one field of a form.
type Question struct {
	ID       string
	Kind     string
	Title    string
	Message  string
	Required bool
	Options  []QuestionOption // of the kinds that select
	Freeform bool             // something else than an option can be written
	Default  json.RawMessage  // a string, number or boolean; nil for none
	Min, Max *float64         // of a number, of a text's length, or of how many are selected
}

// QuestionOption is something to select.
type QuestionOption struct {
	ID          string `json:"id"`
	Label       string `json:"label"`
	Description string `json:"description,omitempty"`
	Recommended bool   `json:"recommended,omitempty"`
}

// How a form is answered as a whole.
const (
	ResponseAccept  = "accept"
	ResponseDecline = "decline"
	ResponseCancel  = "cancel"
)

// Answer is the answer to one question. Make one with Selected, SelectedMany,
// Written, Number, YesNo or Skipped.
type Answer struct {
	State string       `json:"state"` // submitted or skipped
	Value *AnswerValue `json:"value,omitempty"`
}

// AnswerValue is what was answered.
type AnswerValue struct {
	Kind     string   `json:"kind"`
	Value    any      `json:"value"`
	Freeform []string `json:"freeformValues,omitempty"` // beside what was selected
}

// Selected answers with one of the options, by its id.
func Selected(option string) Answer { return submitted("selected", option, nil) }

// SelectedFreeform answers a question that selects with a text of one's own.
func SelectedFreeform(text string) Answer { return submitted("selected", "", []string{text}) }

// SelectedMany answers with several options, by their ids, and texts of one's own.
func SelectedMany(options []string, freeform ...string) Answer {
	return submitted("selected-many", append([]string{}, options...), freeform)
}

// Written answers with a text.
func Written(text string) Answer { return submitted("text", text, nil) }

// Number answers with a number.
func Number(n float64) Answer { return submitted("number", n, nil) }

// YesNo answers yes or no.
func YesNo(yes bool) Answer { return submitted("boolean", yes, nil) }

// Skipped leaves a question without an answer.
func Skipped() Answer { return Answer{State: "skipped"} }

func submitted(kind string, value any, freeform []string) Answer {
	return Answer{State: "submitted", Value: &AnswerValue{Kind: kind, Value: value, Freeform: freeform}}
}

// MarshalJSON writes the form with the members that are mirrored.
func (f *InputForm) MarshalJSON() ([]byte, error) {
	e := newEncoder(nil)
	e["id"] = f.ID
	e.setStr("message", f.Message)
	e.setStr("url", f.URL)
	if f.Questions != nil {
		e["questions"] = f.Questions
	}
	if f.Answers != nil {
		e["answers"] = f.Answers
	}
	return e.encode()
}

// MarshalJSON writes the question with the members that are mirrored.
func (q Question) MarshalJSON() ([]byte, error) {
	e := newEncoder(nil)
	e["id"], e["kind"], e["message"] = q.ID, q.Kind, q.Message
	e.setStr("title", q.Title)
	if q.Required {
		e["required"] = true
	}
	if q.Options != nil {
		e["options"] = q.Options
	}
	if q.Freeform {
		e["allowFreeformInput"] = true
	}
	e.setRaw("defaultValue", q.Default)
	if q.Min != nil {
		e["min"] = *q.Min
	}
	if q.Max != nil {
		e["max"] = *q.Max
	}
	return e.encode()
}

// withAnswers returns the form with other answers; none of them is nil.
func (f *InputForm) withAnswers(answers map[string]json.RawMessage) *InputForm {
	next := *f
	if next.Answers = answers; len(answers) == 0 {
		next.Answers = nil
	}
	return &next
}

// merged are the answers so far with others on top; a nil one takes it out.
func (f *InputForm) merged(answers map[string]json.RawMessage) map[string]json.RawMessage {
	all := maps.Clone(f.Answers)
	for id, answer := range answers {
		if all == nil {
			all = map[string]json.RawMessage{}
		}
		if answer == nil {
			delete(all, id)
		} else {
			all[id] = answer
		}
	}
	return all
}

// inputForm reads a form, nil if it has no id: it could not be answered.
func (d chatDecoder) inputForm() *InputForm {
	if !d.object() {
		return nil
	}
	f := &InputForm{}
	for key, ok := d.next(); ok; key, ok = d.next() {
		switch string(key) {
		case "id":
			f.ID = d.str()
			d.named(f.ID)
		case "message":
			f.Message = d.str()
		case "url":
			f.URL = d.str()
		case "questions":
			f.Questions = d.questions()
		case "answers":
			o, _ := d.rawObject()
			f.Answers = o
		default:
			d.skip()
		}
	}
	if f.ID == "" {
		d.missing("id")
		return nil
	}
	return f
}

func (d chatDecoder) questions() []Question {
	if !d.array() {
		return nil
	}
	questions := []Question{}
	for d.elem() {
		if q, ok := d.question(); ok {
			questions = append(questions, q)
		}
	}
	return questions
}

func (d chatDecoder) question() (q Question, ok bool) {
	if !d.object() {
		return q, false
	}
	for key, ok := d.next(); ok; key, ok = d.next() {
		switch string(key) {
		case "id":
			q.ID = d.str()
			d.named(q.ID)
		case "kind":
			q.Kind = d.common()
		case "title":
			q.Title = d.str()
		case "message":
			q.Message = d.str()
		case "required":
			q.Required = d.bool()
		case "options":
			q.Options = d.questionOptions()
		case "allowFreeformInput":
			q.Freeform = d.bool()
		case "defaultValue":
			q.Default = d.keep()
		case "min":
			q.Min = d.limit()
		case "max":
			q.Max = d.limit()
		default:
			d.skip()
		}
	}
	if q.ID == "" {
		d.missing("id")
		return q, false
	}
	return q, true
}

func (d chatDecoder) limit() *float64 {
	if f, ok := d.optFloat(); ok {
		return &f
	}
	return nil
}

func (d chatDecoder) questionOptions() (options []QuestionOption) {
	if !d.array() {
		return nil
	}
	for d.elem() {
		if !d.object() {
			continue
		}
		var o QuestionOption
		for key, ok := d.next(); ok; key, ok = d.next() {
			switch string(key) {
			case "id":
				o.ID = d.str()
			case "label":
				o.Label = d.str()
			case "description":
				o.Description = d.str()
			case "recommended":
				o.Recommended = d.bool()
			default:
				d.skip()
			}
		}
		if o.ID == "" {
			d.missing("id")
			continue
		}
		options = append(options, o)
	}
	return options
}
