package audit

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"iter"
	"os"
	"path/filepath"
	"strconv"
)

// A link is a line's place in the chain: its number in the trail, from 1, and its sum.
type link struct {
	N   int64  `json:"n"`
	Sum string `json:"sum"`
}

const (
	beforeN   = `,"n":`
	beforeSum = `,"sum":"`
)

// A sealer computes sums.
type sealer struct{ hash hash.Hash }

func newSealer(key []byte) sealer {
	if key == nil {
		return sealer{sha256.New()}
	}
	return sealer{hmac.New(sha256.New, key)}
}

// sum returns the sum of a line up to its member sum.
func (s sealer) sum(before string, line []byte) string {
	s.hash.Reset()
	io.WriteString(s.hash, before)
	s.hash.Write(line)
	return hex.EncodeToString(s.hash.Sum(nil))
}

// seal appends a line with its members n and sum, and returns its link.
func (s sealer) seal(text []byte, before link, line []byte) ([]byte, link) {
	start := len(text)
	text = append(text, bytes.TrimSuffix(line, []byte("}\n"))...)
	next := link{N: before.N + 1}
	text = strconv.AppendInt(append(text, beforeN...), next.N, 10)
	next.Sum = s.sum(before.Sum, text[start:])
	return append(append(append(text, beforeSum...), next.Sum...), "\"}\n"...), next
}

// linkOf returns the link of a line, and the part of the line that its sum is about. It reports
// false if the line has none.
func linkOf(line []byte) (l link, sealed []byte, ok bool) {
	i := bytes.LastIndex(line, []byte(beforeSum))
	if i < 0 {
		return l, nil, false
	}
	sum, ok := bytes.CutSuffix(line[i+len(beforeSum):], []byte("\"}\n"))
	j := bytes.LastIndex(line[:i], []byte(beforeN))
	if !ok || len(sum) != 2*sha256.Size || j < 0 {
		return l, nil, false
	}
	n, err := strconv.ParseInt(string(line[j+len(beforeN):i]), 10, 64)
	return link{n, string(sum)}, line[:i], err == nil && n > 0
}

// headName is the file that says where the trail begins and ends.
const headName = "audit.head"

// headSize is the size of that file, which is overwritten in place.
const headSize = 512

// A head is what that file has: the last line before those that are kept, and the last line
// that was flushed. Keyed says whether the trail has a key, and Sum is the sum of the rest.
type head struct {
	Removed link   `json:"removed"`
	Last    link   `json:"last"`
	Keyed   bool   `json:"keyed"`
	Sum     string `json:"sum"`
}

// sum returns the sum of a head.
func (s sealer) head(h head) string {
	return s.sum("head", fmt.Appendf(nil, "%d %s %d %s %t", h.Removed.N, h.Removed.Sum, h.Last.N, h.Last.Sum, h.Keyed))
}

// errHead reports that a head is not what a writer with this key has written.
var errHead = errors.New("changed, damaged, or written with another key")

// readHead returns the head of a trail. With errHead, it returns what the file says.
func (s sealer) readHead(dir string) (h head, err error) {
	for range 3 { // it may be being written
		var text []byte
		if text, err = os.ReadFile(filepath.Join(dir, headName)); err != nil {
			return head{}, err
		}
		if h = (head{}); json.Unmarshal(text, &h) == nil && h.Sum == s.head(h) {
			return h, nil
		}
	}
	return h, errHead
}

// writeHead writes the head. It follows a flush of the lines, so it never says too much.
func (w *writer) writeHead() error {
	w.head.Keyed = w.HashKey != nil
	w.head.Sum = w.sealer.head(w.head)
	text, err := json.Marshal(w.head)
	if err != nil {
		return err
	}
	if w.headFile == nil {
		if w.headFile, err = os.OpenFile(filepath.Join(w.dir, headName), os.O_WRONLY|os.O_CREATE, 0o600); err != nil {
			return err
		}
	}
	text = append(text, bytes.Repeat([]byte(" "), max(headSize-1-len(text), 0))...)
	_, err = w.headFile.WriteAt(append(text, '\n'), 0)
	return err
}

// A Line is a line of a trail.
type Line struct {
	File   string // its base name
	Number int    // in the file, from 1
	Text   []byte // with its line feed, valid until the next line
}

// Read returns the lines of the trail in a directory, in order. The last one may be torn if
// the trail is being written.
func Read(dir string) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		names, err := (&writer{dir: dir}).files()
		if err != nil {
			yield(Line{}, fmt.Errorf("audit: %w", err))
			return
		}
		for _, name := range names {
			if !readFile(dir, name, yield) {
				return
			}
		}
	}
}

// maxLine bounds the length of a line that Read returns.
const maxLine = 16 << 20

func readFile(dir, name string, yield func(Line, error) bool) bool {
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		return yield(Line{}, fmt.Errorf("audit: %w", err))
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(make([]byte, 64<<10), maxLine)
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
		n++
		if !yield(Line{name, n, lines.Bytes()}, nil) {
			return false
		}
	}
	if err := lines.Err(); err != nil {
		return yield(Line{}, fmt.Errorf("audit: %s, line %d: %w", name, n+1, err))
	}
	return true
}

// A Trail is what [Verify] has found.
type Trail struct {
	// Lines is how many lines there are, and First and Last are the numbers of the first and
	// the last one. Sum is the sum of the last one.
	Lines       int
	First, Last int64
	Sum         string
	// Faults are in the order of the trail. After maxFaults of them, Verify has stopped.
	Faults []Fault
}

const maxFaults = 1000

// A Fault is a line that was changed or moved, or before which lines are missing. Line 0 of
// a File is its end.
type Fault struct {
	File   string
	Line   int
	Reason string
}

func (f Fault) String() string {
	if f.Line == 0 {
		return f.File + ": " + f.Reason
	}
	return fmt.Sprintf("%s, line %d: %s", f.File, f.Line, f.Reason)
}

// Verify verifies the trail in a directory, which may be in use: that its lines are those
// that were written, in their order, from the first one that is kept to the last one. key is
// Options.HashKey, and witness is Options.Witness, or "" for none.
//
// Without a key, anyone who can write to the directory can also make a new chain. Without a
// witness, one who puts back an earlier copy of the directory is not found. Keep the number and
// the sum of the last line elsewhere, to find both.
func Verify(dir string, key []byte, witness string) (*Trail, error) {
	v := &verifier{sealer: newSealer(key)}
	h, headErr := v.readHead(dir) // before the lines: it may only grow
	if v.head = h; headErr == nil || errors.Is(headErr, errHead) {
		v.from = []link{h.Removed}
	}
	if headErr != nil {
		v.head.Last = link{}
	}
	seen, bad, err := v.readWitness(witness)
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	v.seen = seen
	for l, err := range Read(dir) {
		if err != nil {
			return nil, err
		}
		v.line(l)
		if len(v.trail.Faults) >= maxFaults {
			return &v.trail, nil
		}
	}
	end, says := v.head.Last.N, "cut off at the end"
	for n := range seen {
		if n > end {
			end, says = n, "cut off at the end, though the witness has seen them"
		}
	}
	if errors.Is(headErr, os.ErrNotExist) && v.trail.Lines == 0 && len(seen) == 0 {
		return nil, fmt.Errorf("audit: there is no trail in %s", dir)
	}
	switch {
	case errors.Is(headErr, os.ErrNotExist):
		v.fault(Line{File: headName}, "missing or damaged: it says where the trail begins and ends")
	case headErr != nil:
		v.fault(Line{File: headName}, headErr.Error())
	}
	if v.trail.Last < end {
		v.fault(Line{File: cmp.Or(v.file, headName)}, numbers(v.trail.Last+1, end)+" "+says)
	}
	if bad > 0 {
		v.fault(Line{File: filepath.Base(witness), Number: bad}, errHead.Error())
	}
	return &v.trail, nil
}

// A verifier verifies lines in turn.
type verifier struct {
	sealer
	head  head
	trail Trail
	file  string           // of the last line
	from  []link           // what the line before can have been; after a fault there are several
	blank bool             // the line before was no line of the trail, perhaps instead of one
	seen  map[int64]string // by the witness: sums, by number
}

func (v *verifier) fault(l Line, reason string) {
	v.trail.Faults = append(v.trail.Faults, Fault{l.File, l.Number, reason})
}

// line verifies the next line.
func (v *verifier) line(l Line) {
	v.file = l.File
	at, sealed, ok := linkOf(l.Text)
	if !ok {
		if bytes.HasSuffix(l.Text, []byte("\n")) { // else it is being written, or cut off, which the head says
			v.trail.Lines++
			v.blank = true
			v.fault(l, "not a line of the trail")
		}
		return
	}
	v.trail.Lines++
	if v.trail.First == 0 {
		v.trail.First = at.N
	}
	if at.N > v.trail.Last {
		v.trail.Last, v.trail.Sum = at.N, at.Sum
	}
	sum, witnessed := v.seen[at.N]
	switch {
	case !v.follows(at, sealed):
		v.forgive(l, at, sealed)
		return
	case at.N == v.head.Last.N && at.Sum != v.head.Last.Sum:
		v.fault(l, "not the line that "+headName+" says it is")
	case witnessed && at.Sum != sum:
		v.fault(l, "not the line that the witness has seen")
	case bytes.HasPrefix(sealed, []byte(`{"type":"repair"`)) && bytes.Contains(sealed, []byte(`"missing":"`)) && !bytes.Contains(sealed, []byte(`"cut":`)):
		v.fault(l, "the trail was not whole when this line was written")
	}
	v.from, v.blank = []link{at}, false
}

// follows reports whether the line at a link follows the previous line.
func (v *verifier) follows(at link, sealed []byte) bool {
	for _, from := range v.from {
		if at.N == from.N+1 && at.Sum == v.sum(from.Sum, sealed) {
			return true
		}
	}
	return len(v.from) == 0
}

// forgive reports the fault of a line, and finds what the next line may follow.
func (v *verifier) forgive(l Line, at link, sealed []byte) {
	before := v.from[0]
	meant := []link{{before.N + 1, at.Sum}, {before.N + 1, v.sum(before.Sum, sealed)}}
	switch {
	case v.blank && at.N == before.N+2:
		v.fault(l, "cannot be verified: the line before it is not one of the trail")
		v.from = []link{at}
	case at.N > before.N+1:
		v.fault(l, numbers(before.N+1, at.N-1)+" missing before it")
		v.from = append([]link{at}, meant...)
	case at.N <= before.N:
		v.fault(l, fmt.Sprintf("line %d of the trail does not belong here", at.N))
		v.from = append(v.from, meant...)
	default:
		v.fault(l, "changed")
		v.from = append(meant, before)
	}
	v.blank = false
}

// numbers names the lines of the trail from one number to another.
func numbers(from, to int64) string {
	if from == to {
		return fmt.Sprintf("line %d of the trail is", from)
	}
	return fmt.Sprintf("lines %d to %d of the trail are", from, to)
}
