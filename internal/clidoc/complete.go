package clidoc

import (
	"strings"

	"github.com/alecthomas/kong"
)

// Candidate is a word that can stand in the place of the one to complete.
type Candidate struct {
	Word string
	Help string // one line; "" for values
}

// Complete lists the candidates for the last of words, which are those after the
// program's name. Without any, the word is a file or can be anything.
func Complete(root *kong.Node, words []string) []Candidate {
	if len(words) == 0 {
		words = []string{""}
	}
	words, last := words[:len(words)-1], words[len(words)-1]
	p := parse(root, words)
	switch {
	case p.value != nil:
		if last == "=" { // bash makes a word of it
			last = ""
		}
		return values(p.value, "", last)
	case p.rest:
		return nil
	case strings.HasPrefix(last, "--") && strings.Contains(last, "="):
		name, start, _ := strings.Cut(last, "=")
		if f := flagOf(p.node, name); f != nil {
			return values(f.Value, name+"=", start)
		}
		return nil
	case strings.HasPrefix(last, "-"):
		return flagsOf(p.node, last)
	}
	return wordsOf(p, last)
}

// parsed is what the words before the one to complete lead to.
type parsed struct {
	node        *kong.Node
	positionals int         // how many have been given
	value       *kong.Value // the next word is its value; nil for none
	rest        bool        // after "--"
}

func parse(root *kong.Node, words []string) parsed {
	p := parsed{node: root}
	for i, word := range words {
		switch {
		case p.value != nil:
			last := i == len(words)-1
			if word != "=" || last && i > 0 && words[i-1] == "=" { // bash: --flag = value
				p.value = nil
			}
		case p.rest:
			p.positionals++
		case word == "--":
			p.rest = true
		case strings.HasPrefix(word, "-") && word != "-":
			if f := flagOf(p.node, word); f != nil && !f.IsBool() && !f.IsCounter() && !strings.Contains(word, "=") {
				p.value = f.Value
			}
		default:
			if child := childOf(p.node, word); child != nil {
				p.node = child
			} else {
				p.positionals++
			}
		}
	}
	return p
}

// flagOf is the flag that a word such as --flag, --flag=value or -f names.
func flagOf(n *kong.Node, word string) *kong.Flag {
	name, _, _ := strings.Cut(word, "=")
	for _, f := range visibleFlags(n) {
		if name == "--"+f.Name || f.Short != 0 && name == "-"+string(f.Short) {
			return f
		}
	}
	return nil
}

func childOf(n *kong.Node, word string) *kong.Node {
	for _, child := range n.Children {
		if child.Name == word && !child.Hidden {
			return child
		}
	}
	return nil
}

func values(v *kong.Value, prefix, start string) (list []Candidate) {
	for _, word := range enum(v) {
		if strings.HasPrefix(word, start) {
			list = append(list, Candidate{Word: prefix + word})
		}
	}
	return list
}

func flagsOf(n *kong.Node, start string) (list []Candidate) {
	for _, f := range visibleFlags(n) {
		if word := "--" + f.Name; strings.HasPrefix(word, start) {
			list = append(list, Candidate{word, firstSentence(f.Help)})
		}
	}
	return list
}

// wordsOf are the subcommands, or the values of the positional argument whose turn it is.
func wordsOf(p parsed, start string) (list []Candidate) {
	for _, child := range p.node.Children {
		if !child.Hidden && strings.HasPrefix(child.Name, start) {
			list = append(list, Candidate{child.Name, firstSentence(child.Help)})
		}
	}
	if args := p.node.Positional; len(args) > p.positionals {
		list = append(list, values(args[p.positionals], "", start)...)
	}
	return list
}

// firstSentence is a short description for a list.
func firstSentence(help string) string {
	first, _, _ := strings.Cut(help, ". ")
	return strings.TrimSuffix(first, ".")
}
