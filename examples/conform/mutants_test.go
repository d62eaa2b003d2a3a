package main

import (
	"os"
	"testing"
)

// TestMutants spoils each case in several ways, and checks that each is found.
func TestMutants(t *testing.T) {
	all, err := readCases(os.DirFS("cases"))
	if err != nil {
		t.Fatal(err)
	}
	severity := map[string]string{isListed: sanctioned, isNotListed: falseHit, isError: unread}
	survive := func(what string, c Case) {
		if c.check() == nil && contradiction(&c) == "" {
			t.Errorf("%s: not found in %s: %+v %+v", what, c.ID, c.Asked, c.Listed)
		}
	}
	for i, c := range all {
		next := all[(i+1)%len(all)]
		for j := 2; c.Listed != nil && next.Listed != nil && next.Listed.Text == c.Listed.Text; j++ {
			next = all[(i+j)%len(all)]
		}
		for _, e := range expect {
			if e == c.Expect {
				continue
			}
			m := c
			m.Expect, m.Severity, m.Accept = e, severity[e], nil
			if e == isListed && m.Listed == nil {
				for _, o := range all {
					if o.Listed != nil {
						m.Listed = o.Listed
						break
					}
				}
			}
			survive("expect "+e, m)
		}
		if c.Listed != nil && next.Listed != nil && c.Expect == isListed {
			m := c
			m.Listed = next.Listed
			survive("another entry", m)
			m = c
			m.Asked.Text = next.Listed.Text
			survive("another text", m)
		}
	}
}
