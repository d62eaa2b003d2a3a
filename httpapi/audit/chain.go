package audit

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"github.com/walletscreen/walletscreen/internal/evidence"
)

// headName is the file that says where the trail begins and ends.
const headName = "audit.head"

// headSize is the size of that file, which is overwritten in place.
const headSize = 512

// A head is what that file has: the last line before those that are kept, and the last line
// that was flushed. Keyed says whether the trail has a key, and Sum is the sum of the rest.
type head struct {
	Removed evidence.Link `json:"removed"`
	Last    evidence.Link `json:"last"`
	Keyed   bool          `json:"keyed"`
	Sum     string        `json:"sum"`
}

func (h *head) sum(c evidence.Chain) string {
	return c.Sum(fmt.Appendf(nil, "head %d %s %d %s %t", h.Removed.N, h.Removed.Sum, h.Last.N, h.Last.Sum, h.Keyed))
}

// errHead reports that a head is not what a writer with this key has written.
var errHead = errors.New("changed, damaged, or written with another key")

// readHead returns the head of a trail. With errHead, it returns what the file says.
func readHead(c evidence.Chain, dir string) (h head, err error) {
	for range 3 { // it may be being written
		var text []byte
		if text, err = os.ReadFile(filepath.Join(dir, headName)); err != nil {
			return head{}, err
		}
		if h = (head{}); json.Unmarshal(text, &h) == nil && h.Sum == h.sum(c) {
			return h, nil
		}
	}
	return h, errHead
}

// writeHead writes the head. It follows a flush of the lines, so it never says too much.
func (w *writer) writeHead() error {
	w.head.Keyed = w.HashKey != nil
	w.head.Sum = w.head.sum(w.chain)
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

// A line is a line of a trail.
type line struct {
	file   string // its base name
	number int    // in the file, from 1
	text   []byte // with its line feed, valid until the next line
}

// Read returns the lines of the trail in a directory, in order, each valid until the next one. The last
// one may be torn if the trail is being written.
func Read(dir string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for l, err := range readAll(dir) {
			if !yield(l.text, err) {
				return
			}
		}
	}
}

func readAll(dir string) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		names, err := (&writer{dir: dir}).files()
		if err != nil {
			yield(line{}, fmt.Errorf("audit: %w", err))
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

func readFile(dir, name string, yield func(line, error) bool) bool {
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		return yield(line{}, fmt.Errorf("audit: %w", err))
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
		if !yield(line{name, n, lines.Bytes()}, nil) {
			return false
		}
	}
	if err := lines.Err(); err != nil {
		return yield(line{}, fmt.Errorf("audit: %s, line %d: %w", name, n+1, err))
	}
	return true
}

// A Trail is what [Verify] has found.
type Trail struct {
	// Lines is how many lines there are, and First and Last are the numbers of the first and
	// the last one. Sum is the sum of the last one.
	Lines int    `json:"lines"`
	First int64  `json:"first"`
	Last  int64  `json:"last"`
	Sum   string `json:"sum"`
	// Faults are in the order of the trail. After maxFaults of them, Verify has stopped.
	Faults []Fault `json:"faults"`
}

const maxFaults = 1000

// A Fault is a line that was changed or moved, or before which lines are missing. Line 0 of
// a File is its end.
type Fault struct {
	File   string `json:"file"`
	Line   int    `json:"line,omitempty"`
	Reason string `json:"reason"`
}

func (f Fault) String() string {
	if f.Line == 0 {
		return f.File + ": " + f.Reason
	}
	return fmt.Sprintf("%s, line %d: %s", f.File, f.Line, f.Reason)
}

// Verify verifies the trail in a directory, which may be in use: that its lines are those
// that were written, in their order, from the first one that is kept to the last one. key is
// Options.HashKey, and witness is Options.Witness, or "" for none. A trail that an earlier version of this
// module has written is an error.
//
// Without a key, anyone who can write to the directory can also make a new chain. Without a
// witness, one who puts back an earlier copy of the directory is not found. Keep the number and
// the sum of the last line elsewhere, to find both.
func Verify(dir string, key []byte, witness string) (*Trail, error) {
	v := &verifier{chain: evidence.New(key)}
	v.trail.Faults = []Fault{}
	h, headErr := readHead(v.chain, dir) // before the lines: it may only grow
	if v.head = h; headErr == nil || errors.Is(headErr, errHead) {
		v.from = []evidence.Link{h.Removed}
	}
	if headErr != nil {
		v.head.Last = evidence.Link{}
	}
	seen, bad, err := readWitness(v.chain, witness)
	if err != nil {
		return nil, fmt.Errorf("audit: %w", err)
	}
	v.seen = seen
	for l, err := range readAll(dir) {
		if err == nil {
			err = v.line(l)
		}
		if err != nil {
			return nil, err
		}
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
		v.fault(line{file: headName}, "missing or damaged: it says where the trail begins and ends")
	case headErr != nil:
		v.fault(line{file: headName}, headErr.Error())
	}
	if v.trail.Last < end {
		v.fault(line{file: cmp.Or(v.file, headName)}, numbers(v.trail.Last+1, end)+" "+says)
	}
	if bad > 0 {
		v.fault(line{file: filepath.Base(witness), number: bad}, errHead.Error())
	}
	return &v.trail, nil
}

// A verifier verifies lines in turn.
type verifier struct {
	chain evidence.Chain
	head  head
	trail Trail
	file  string           // of the last line
	from  []evidence.Link  // what the line before can have been; after a fault there are several
	blank bool             // the line before was no line of the trail, perhaps instead of one
	seen  map[int64]string // by the witness: sums, by number
}

func (v *verifier) fault(l line, reason string) {
	v.trail.Faults = append(v.trail.Faults, Fault{l.file, l.number, reason})
}

// line verifies the next line.
func (v *verifier) line(l line) error {
	v.file = l.file
	at, err := v.chain.Open(l.text)
	switch {
	case errors.Is(err, evidence.ErrForm):
		return fmt.Errorf("audit: %s, line %d: %w", l.file, l.number, err)
	case err != nil:
		if bytes.HasSuffix(l.text, []byte("\n")) { // else it is being written, or cut off, which the head says
			v.trail.Lines++
			v.blank = true
			v.fault(l, "not a line of the trail")
		}
		return nil
	}
	var before evidence.Link
	if len(v.from) > 0 {
		before = v.from[0]
	} else {
		before = evidence.Link{N: at.N - 1, Sum: at.Prev}
		v.from = append(v.from, before)
	}
	isChanged := at.Sum != at.Computed
	if isChanged && !(v.blank && at.N == before.N+2) {
		at.N = before.N + 1
	}
	v.trail.Lines++
	if v.trail.First == 0 {
		v.trail.First = at.N
	}
	if at.N > v.trail.Last {
		v.trail.Last, v.trail.Sum = at.N, at.Sum
	}
	follows := slices.Contains(v.from, evidence.Link{N: at.N - 1, Sum: at.Prev})
	sum, witnessed := v.seen[at.N]
	from := []evidence.Link{at.Link}
	switch {
	case isChanged: // the next one may follow what was written; or the line before, if this one was added
		v.fault(l, "changed")
		from = append(from, evidence.Link{N: at.N, Sum: at.Computed}, before)
	case v.blank && at.N == before.N+2:
		v.fault(l, "cannot be verified: the line before it is not one of the trail")
	case at.N > before.N+1:
		v.fault(l, numbers(before.N+1, at.N-1)+" missing before it")
	case !follows && at.N <= before.N:
		v.fault(l, fmt.Sprintf("line %d of the trail does not belong here", at.N))
		from = append(v.from, from...)
	case !follows:
		v.fault(l, "follows another line than the one before it, which was changed or put in its place")
	case at.N == v.head.Last.N && at.Sum != v.head.Last.Sum:
		v.fault(l, "not the line that "+headName+" says it is")
	case witnessed && at.Sum != sum:
		v.fault(l, "not the line that the witness has seen")
	case at.Type == evidence.Repair && bytes.Contains(at.Text, []byte(`"missing":"`)) && !bytes.Contains(at.Text, []byte(`"cut":`)):
		v.fault(l, "the trail was not whole when this line was written")
	}
	v.from, v.blank = from, false
	return nil
}

// numbers names the lines of the trail from one number to another.
func numbers(from, to int64) string {
	if from == to {
		return fmt.Sprintf("line %d of the trail is", from)
	}
	return fmt.Sprintf("lines %d to %d of the trail are", from, to)
}
