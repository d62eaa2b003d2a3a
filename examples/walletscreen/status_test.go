package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// TestStatus shows how far a table and a list are, on what stands for a terminal.
func TestStatus(t *testing.T) {
	var screen bytes.Buffer
	s := newStatusLine(&screen)
	s.bytes("A", 1, 2)
	if s.finish(); screen.Len() > 0 {
		t.Errorf("without a terminal: %q", &screen)
	}
	s.w = &screen
	s.table(1000, time.Now().Add(-time.Second), 25, 100)
	s.bytes("B", 7e6, -1) // too soon
	s.last = time.Time{}
	s.bytes("A", 5e6, 10e6)
	s.finish()
	lines := strings.Split(screen.String(), "\r")
	if len(lines) != 5 || !strings.HasPrefix(lines[1], "1,000 rows  ") || !strings.Contains(lines[1], "  25 %, ") || !strings.HasSuffix(lines[1], " left") {
		t.Fatalf("%q", lines)
	}
	if strings.TrimRight(lines[2], " ") != "A 5.0 MB of 10.0" || strings.TrimSpace(lines[3]) != "" {
		t.Errorf("%q", lines)
	}
}
