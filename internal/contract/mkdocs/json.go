package main

import (
	"encoding/json"
	"strings"

	"go.yaml.in/yaml/v3"
)

// width is the preferred maximum length of a line in an example.
const width = 88

// JSON returns n as JSON, with its members in the order of the document. A value that
// fits is written on one line.
func (n node) JSON() (string, error) { return n.json(0) }

func (n node) json(indent int) (string, error) {
	if n.Kind == yaml.ScalarNode {
		var v any
		if err := n.Decode(&v); err != nil {
			return "", err
		}
		var b strings.Builder
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		err := enc.Encode(v)
		return strings.TrimSpace(b.String()), err
	}
	open, end := "{", "}"
	if n.Kind == yaml.SequenceNode {
		open, end = "[", "]"
	}
	var parts []string
	short := indent + len(open) + len(end)
	for i := 0; i < len(n.Content); i++ {
		name := ""
		if n.Kind == yaml.MappingNode {
			key, err := node{n.Content[i], n.root}.json(0)
			if err != nil {
				return "", err
			}
			name, i = key+": ", i+1
		}
		value, err := node{n.Content[i], n.root}.json(indent + 2)
		if err != nil {
			return "", err
		}
		parts = append(parts, name+value)
		short += len(name+value) + len(", ")
		if strings.Contains(value, "\n") {
			short += width
		}
	}
	if short <= width {
		return open + strings.Join(parts, ", ") + end, nil
	}
	lead := "\n" + strings.Repeat(" ", indent)
	return open + lead + "  " + strings.Join(parts, ","+lead+"  ") + lead + end, nil
}

// compact returns n as JSON on one line.
func (n node) compact() (string, error) {
	text, err := n.JSON()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for line := range strings.Lines(text) { // no string of JSON has a line feed
		b.WriteString(strings.TrimSpace(line))
	}
	return b.String(), nil
}
