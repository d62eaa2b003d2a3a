// Package line frames the lines of a journal: each has a number and a checksum.
//
// A line is its number, the first 8 bytes of a SHA-256 over the number and the text, in hex, and the
// text, separated by blanks. A store reads only the number.
package line

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
)

// A Line is a line of a journal.
type Line struct {
	Seq  uint64 // its number, counted from 1
	Sum  string
	Text []byte
}

// Format returns the line with a number and a text without a line feed, and its checksum.
func Format(seq uint64, text []byte) (l []byte, sum string) {
	number := strconv.FormatUint(seq, 10)
	sum = sumOf(number, text)
	l = append(append(make([]byte, 0, len(number)+len(sum)+2+len(text)), number...), ' ')
	return append(append(append(l, sum...), ' '), text...), sum
}

// Parse returns the line. It reports false if it is damaged.
func Parse(l []byte) (Line, bool) {
	number, rest, _ := bytes.Cut(bytes.TrimSuffix(l, []byte("\n")), []byte(" "))
	sum, text, ok := bytes.Cut(rest, []byte(" "))
	if !ok || len(number) > 20 {
		return Line{}, false
	}
	seq, err := strconv.ParseUint(string(number), 10, 64)
	if err != nil || seq == 0 || sumOf(string(number), text) != string(sum) {
		return Line{}, false
	}
	return Line{seq, string(sum), text}, true
}

func sumOf(number string, text []byte) string {
	h := sha256.New()
	h.Write([]byte(number))
	h.Write([]byte{' '})
	h.Write(text)
	return hex.EncodeToString(h.Sum(nil)[:8])
}
