package evidence

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"time"
)

// HeadName is the file that says where the trail begins and ends.
const HeadName = "audit.head"

// HeadSize is the size of that file, which is overwritten in place.
const HeadSize = 512

// A Head is what that file has: the last line before those that are kept, and the last line
// that was flushed. Keyed says whether the trail has a key, and Sum is the sum of the rest.
type Head struct {
	Removed Link   `json:"removed"`
	Last    Link   `json:"last"`
	Keyed   bool   `json:"keyed"`
	Sum     string `json:"sum"`
}

// Seal returns h with its Sum.
func (h Head) Seal(c Chain) Head {
	h.Sum = c.Sum(fmt.Appendf(nil, "head %d %s %d %s %t", h.Removed.N, h.Removed.Sum, h.Last.N, h.Last.Sum, h.Keyed))
	return h
}

// ErrHead reports that a head is not what a writer with this key has written.
var ErrHead = errors.New("changed, damaged, or written with another key")

// ReadHead returns the head of a trail. With ErrHead, it returns what the file says.
func ReadHead(c Chain, dir string) (h Head, err error) {
	for range 3 { // it may be being written
		var text []byte
		if text, err = os.ReadFile(filepath.Join(dir, HeadName)); err != nil {
			return Head{}, err
		}
		if h = (Head{}); json.Unmarshal(text, &h) == nil && h == h.Seal(c) {
			return h, nil
		}
	}
	return h, ErrHead
}

// A TrailLine is a line of a trail, as it stands in a file.
type TrailLine struct {
	File   string // its base name
	Number int    // in the file, from 1
	Text   []byte // with its line feed, valid until the next line
}

// Read returns the lines of the trail in a directory, in order. The last one may be half a line if the trail is being written.
func Read(dir string) iter.Seq2[TrailLine, error] {
	return func(yield func(TrailLine, error) bool) {
		names, err := Files(dir)
		if err != nil {
			yield(TrailLine{}, err)
			return
		}
		for _, name := range names {
			for l, err := range ReadFile(dir, name) {
				if !yield(l, err) {
					return
				}
			}
		}
	}
}

// MaxTrailLine bounds the length of a line that Read returns, in bytes.
const MaxTrailLine = 16 << 20

// ReadFile returns the lines of a file of the trail. A file that does not exist has none.
func ReadFile(dir, name string) iter.Seq2[TrailLine, error] {
	return func(yield func(TrailLine, error) bool) {
		f, err := os.Open(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) { // it was removed, because of its age or else its lines are missing
			return
		}
		if err != nil {
			yield(TrailLine{}, err)
			return
		}
		defer f.Close()
		lines := bufio.NewScanner(f)
		lines.Buffer(make([]byte, 64<<10), MaxTrailLine)
		lines.Split(func(data []byte, atEOF bool) (int, []byte, error) {
			if i := bytes.IndexByte(data, '\n'); i >= 0 {
				return i + 1, data[:i+1], nil
			}
			if atEOF && len(data) > 0 {
				return len(data), data, nil
			}
			return 0, nil, nil
		})
		n := 0
		for lines.Scan() {
			if n++; !yield(TrailLine{name, n, lines.Bytes()}, nil) {
				return
			}
		}
		if err := lines.Err(); err != nil {
			yield(TrailLine{}, fmt.Errorf("%s, line %d: %w", name, n+1, err))
		}
	}
}

// FileLayout is the layout of file names: the time at which the file was begun, in UTC.
const FileLayout = "audit-20060102T150405.000000000Z.jsonl"

// FileTime returns the time in the name of a file, and whether it is an audit file.
func FileTime(name string) (time.Time, bool) {
	t, err := time.Parse(FileLayout, name)
	return t, err == nil && t.Format(FileLayout) == name
}

// Files returns the names of the files of a trail, sorted.
func Files(dir string) ([]string, error) {
	all, err := os.ReadDir(dir) // sorted
	if err != nil {
		return nil, err
	}
	var names []string
	for _, f := range all {
		if _, ours := FileTime(f.Name()); ours && f.Type().IsRegular() {
			names = append(names, f.Name())
		}
	}
	return names, nil
}

// A Witness says which line of a trail was the last at a time. Mark is the sum of the rest.
type Witness struct {
	Time  time.Time `json:"time"`
	Event string    `json:"event"` // start, stop or day
	Link
	Mark string `json:"mark"`
}

// Seal returns l with its Mark.
func (l Witness) Seal(c Chain) Witness {
	l.Mark = c.Sum(fmt.Appendf(nil, "witness %d %s %d %s", l.Time.UnixMicro(), l.Event, l.N, l.Sum))
	return l
}

// ReadWitness returns the lines of the trail that a file has seen, sums by number, and the number
// of its first line that no writer with this key has written. A file that is not there has seen none.
func ReadWitness(c Chain, name string) (seen map[int64]string, bad int, err error) {
	if name == "" {
		return nil, 0, nil
	}
	f, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	seen = make(map[int64]string)
	lines := bufio.NewScanner(f)
	for n := 1; lines.Scan(); n++ {
		var l Witness
		if json.Unmarshal(lines.Bytes(), &l) == nil && l.Mark == l.Seal(c).Mark {
			seen[l.N] = l.Sum
		} else if bad == 0 {
			bad = n
		}
	}
	return seen, bad, lines.Err()
}
