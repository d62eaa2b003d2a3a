package store

import (
	"fmt"
	"hash/crc32"
	"os"
	"strings"
	"time"
)

// A file of checks has a line for each, which is only ever appended: a time, and
// its CRC-32 in hex, which tells a line that was cut short. What is lost of it makes
// a list of the past look older than it was, and nothing else.

// addCheck appends a check to the file of that name.
func (d *Dir) addCheck(name string, at time.Time) error {
	if info, err := os.Stat(d.file(name)); err == nil && !info.Mode().IsRegular() { // to open a pipe would be to wait for it
		return fmt.Errorf("%s: not a file", d.file(name))
	}
	f, err := os.OpenFile(d.file(name), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	// The line end comes first, so that a line is not spoilt by one before it.
	_, err = f.WriteString("\n" + checkLine(at.UTC().Format(stamp)))
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return err
}

// checks returns what the file of that name has, in no order; nothing if it is not
// there.
func (d *Dir) checks(name string) []time.Time {
	data, err := d.read(name)
	if err != nil {
		return nil
	}
	var all []time.Time
	for line := range strings.SplitSeq(data, "\n") {
		text, _, _ := strings.Cut(line, " ")
		if at, err := time.Parse(stamp, text); err == nil && line == checkLine(text) {
			all = append(all, at)
		}
	}
	return all
}

func checkLine(text string) string {
	return fmt.Sprintf("%s %08x", text, crc32.ChecksumIEEE([]byte(text)))
}
