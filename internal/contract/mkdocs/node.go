package main

import (
	"fmt"
	"iter"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A node is a value of the document. The zero node is a missing value.
type node struct {
	*yaml.Node
	root *yaml.Node
}

func parse(text []byte) (node, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return node{}, err
	}
	if doc.Kind != yaml.DocumentNode || doc.Content[0].Kind != yaml.MappingNode {
		return node{}, fmt.Errorf("want an object")
	}
	return node{doc.Content[0], doc.Content[0]}, nil
}

// Get returns the value at a path of names and indexes, following references on
// the way and at its end.
func (n node) Get(path ...string) node {
	for _, name := range path {
		n = n.member(name).target()
	}
	return n
}

func (n node) member(name string) node {
	switch {
	case n.Node == nil:
	case n.Kind == yaml.MappingNode:
		for i := 0; i < len(n.Content); i += 2 {
			if n.Content[i].Value == name {
				return node{n.Content[i+1], n.root}
			}
		}
	case n.Kind == yaml.SequenceNode:
		for i, item := range n.Content {
			if fmt.Sprint(i) == name {
				return node{item, n.root}
			}
		}
	}
	return node{root: n.root}
}

// target returns the value that n refers to, or n if n is not a reference.
func (n node) target() node {
	if ref := n.Ref(); ref != "" && len(n.Content) == 2 {
		return node{n.root, n.root}.Get(strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
	}
	return n
}

// Ref returns the reference in n, or "".
func (n node) Ref() string { return n.member("$ref").Text() }

// Name returns the last part of the reference in n, or "".
func (n node) Name() string {
	ref := n.Ref()
	return ref[strings.LastIndexByte(ref, '/')+1:]
}

// Text returns the text of a scalar, and "" for any other node.
func (n node) Text() string {
	if n.Node == nil || n.Kind != yaml.ScalarNode {
		return ""
	}
	return n.Value
}

// Exists reports whether n exists in the document.
func (n node) Exists() bool { return n.Node != nil }

// Members returns the names and values of an object, which may be references.
func (n node) Members() iter.Seq2[string, node] {
	return func(yield func(string, node) bool) {
		if n.Node == nil || n.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i < len(n.Content); i += 2 {
			if !yield(n.Content[i].Value, node{n.Content[i+1], n.root}) {
				return
			}
		}
	}
}

// Items returns the items of an array, which may be references.
func (n node) Items() (items []node) {
	if n.Node == nil || n.Kind != yaml.SequenceNode {
		return nil
	}
	for _, item := range n.Content {
		items = append(items, node{item, n.root})
	}
	return items
}

// Has reports whether the array n contains the scalar with this text.
func (n node) Has(text string) bool {
	for _, item := range n.Items() {
		if item.Text() == text {
			return true
		}
	}
	return false
}
