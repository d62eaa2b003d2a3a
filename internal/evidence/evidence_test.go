package evidence_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/internal/evidence"
)

// TestLine writes a chain of two lines, and changes each byte of the second: Open finds it by itself.
func TestLine(t *testing.T) {
	for _, key := range [][]byte{nil, bytes.Repeat([]byte{7}, 32)} {
		c := evidence.New(key)
		line, err := evidence.Marshal(evidence.Screening, struct {
			Text string `json:"text"`
		}{`a "quoted" <text>,"n":7`})
		if err != nil {
			t.Fatal(err)
		}
		_, first := c.Seal(nil, line, evidence.Link{})
		text, second := c.Seal(nil, line, first)
		l, err := c.Open(text)
		if err != nil || l.Link != second || l.N != 2 || l.Prev != first.Sum || l.Computed != l.Sum || l.Type != evidence.Screening || !bytes.Equal(l.Text, line) {
			t.Errorf("%+v, %v: %s", l, err, text)
		}
		for i := range text {
			changed := bytes.Clone(text)
			changed[i] ^= 1
			if l, err := c.Open(changed); err == nil && l.Sum == l.Computed {
				t.Errorf("byte %d: %s", i, changed)
			}
			if l, err := c.Open(text[:i]); err == nil {
				t.Errorf("cut at byte %d: %+v", i, l)
			}
		}
		if l, err := evidence.New([]byte("another key")).Open(text); err != nil || l.Sum == l.Computed {
			t.Errorf("with another key: %+v, %v", l, err)
		}
	}
	for line, former := range map[string]bool{
		`{"type":"screening"` + "}\n": true, `{"format":"walletscreen receipt 2"}` + "\n": true, `{"format":"walletscreen table receipt 1"}` + "\n": true,
		"": false, "\n": false, "{}\n": false, "null\n": false, strings.Repeat("x", 100) + "\n": false, `{"format":"walletscreen evidence 2","type":"screening"}` + "\n": false,
	} {
		if _, err := evidence.New(nil).Open([]byte(line)); err == nil || errors.Is(err, evidence.ErrForm) != former {
			t.Errorf("%q: %v", line, err)
		}
	}
}
