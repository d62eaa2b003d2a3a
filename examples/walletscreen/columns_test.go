package main

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestColumns checks that what people read fits on a terminal of 80 columns: the program's own
// words, and the lists and names that are bundled.
func TestColumns(t *testing.T) {
	const listed = "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"
	lines := 0
	for _, args := range []string{
		"screen " + listed, "screen " + unlisted, "screen -chain ethereum 0x098b716B8Aaf21512996dC57EB0615e2383E2f96",
		"screen TFTWNgDBkQ5wQoP8RXpRznnHvAVV8x5jLu", "history " + listed, "lists status",
	} {
		_, stdout, stderr := call(t, "", strings.Fields(args)...)
		for line := range strings.SplitSeq(stdout+stderr, "\n") {
			lines++
			if n := utf8.RuneCountInString(line); n > columns {
				t.Errorf("%s: a line of %d characters: %s", args, n, line)
			}
		}
	}
	if lines < 50 {
		t.Errorf("%d lines were checked", lines)
	}
}
