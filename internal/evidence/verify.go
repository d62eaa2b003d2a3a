package evidence

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

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
// Options.HashKey of package audit, and witness is its Options.Witness, or "" for none. A trail that an earlier version of this
// module has written is an error.
//
// Without a key, anyone who can write to the directory can also make a new chain. Without a
// witness, one who puts back an earlier copy of the directory is not found. Keep the number and
// the sum of the last line elsewhere, to find both.
func Verify(dir string, key []byte, witness string) (t *Trail, err error) {
	for range 9 {
		v := &verifier{chain: New(key)}
		t, err = v.verify(dir, witness)
		if h, headErr := ReadHead(v.chain, dir); headErr != nil || h.Removed == v.head.Removed {
			break // else files were removed meanwhile
		}
	}
	return t, err
}

func (v *verifier) verify(dir, witness string) (*Trail, error) {
	v.trail.Faults = []Fault{}
	h, headErr := ReadHead(v.chain, dir) // before the lines: it may only grow
	if v.head = h; headErr == nil || errors.Is(headErr, ErrHead) {
		v.from = []Link{h.Removed}
	}
	if headErr != nil {
		v.head.Last = Link{}
	}
	seen, bad, err := ReadWitness(v.chain, witness)
	if err != nil {
		return nil, err
	}
	v.seen = seen
	for l, err := range Read(dir) {
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
		return nil, fmt.Errorf("there is no trail in %s", dir)
	}
	switch {
	case errors.Is(headErr, os.ErrNotExist):
		v.fault(TrailLine{File: HeadName}, "missing or damaged: it says where the trail begins and ends")
	case headErr != nil:
		v.fault(TrailLine{File: HeadName}, headErr.Error())
	}
	if v.trail.Last < end {
		v.fault(TrailLine{File: cmp.Or(v.file, HeadName)}, Numbers(v.trail.Last+1, end)+" "+says)
	}
	if bad > 0 {
		v.fault(TrailLine{File: filepath.Base(witness), Number: bad}, ErrHead.Error())
	}
	return &v.trail, nil
}

// A verifier verifies lines in turn.
type verifier struct {
	chain Chain
	head  Head
	trail Trail
	file  string           // of the last line
	from  []Link           // what the line before can have been; after a fault there are several
	blank bool             // the line before was no line of the trail, perhaps instead of one
	half  TrailLine        // half a line at the end of the last file that was read, which may be being written
	seen  map[int64]string // by the witness: sums, by number
}

const notOurs = "not a line of the trail"

func (v *verifier) fault(l TrailLine, reason string) {
	v.trail.Faults = append(v.trail.Faults, Fault{l.File, l.Number, reason})
}

// line verifies the next line.
func (v *verifier) line(l TrailLine) error {
	if v.half.File != "" { // another file follows
		v.fault(v.half, notOurs)
		v.half = TrailLine{}
	}
	v.file = l.File
	at, err := v.chain.Open(l.Text)
	switch {
	case errors.Is(err, ErrForm):
		return fmt.Errorf("%s, line %d: %w", l.File, l.Number, err)
	case err != nil && v.isHalf(l):
		v.half = TrailLine{File: l.File, Number: l.Number}
		return nil
	case err != nil:
		v.trail.Lines++
		v.blank = true
		v.fault(l, notOurs)
		return nil
	}
	v.follow(l, at)
	return nil
}

// follow verifies that at, which l says, is the line that follows the one before.
func (v *verifier) follow(l TrailLine, at Line) {
	var before Link
	if len(v.from) > 0 {
		before = v.from[0]
	}
	if len(v.from) == 0 || v.trail.Lines == 0 && at.N <= before.N { // its file is about to be removed
		before = Link{N: at.N - 1, Sum: at.Prev}
		v.from = []Link{before}
	}
	isChanged := at.Sum != at.Computed
	if isChanged && !(v.blank && at.N == before.N+2) {
		at.N = before.N + 1
	}
	v.trail.Lines++
	v.trail.First = cmp.Or(v.trail.First, at.N)
	if at.N > v.trail.Last {
		v.trail.Last, v.trail.Sum = at.N, at.Sum
	}
	follows := slices.Contains(v.from, Link{N: at.N - 1, Sum: at.Prev})
	from := []Link{at.Link}
	switch {
	case isChanged: // the next one may follow what was written; or the line before, if this one was added
		v.fault(l, "changed")
		from = append(from, Link{N: at.N, Sum: at.Computed}, before)
	case v.blank && at.N == before.N+2:
		v.fault(l, "cannot be verified: the line before it is not one of the trail")
	case at.N > before.N+1:
		v.fault(l, Numbers(before.N+1, at.N-1)+" missing before it")
	case !follows && at.N <= before.N:
		v.fault(l, fmt.Sprintf("line %d of the trail does not belong here", at.N))
		from = append(v.from, from...)
	case !follows:
		v.fault(l, "follows another line than the one before it, which was changed or put in its place")
	default:
		if reason := v.contradiction(at); reason != "" {
			v.fault(l, reason)
		}
	}
	v.from, v.blank = from, false
}

// isHalf reports whether l, which is not a line of the trail, may be the first half of one.
func (v *verifier) isHalf(l TrailLine) bool {
	if bytes.HasSuffix(l.Text, []byte("\n")) {
		return false
	}
	whole, err := v.chain.Open(append(bytes.Clone(l.Text), '\n'))
	isNext := err == nil && whole.Sum == whole.Computed && slices.Contains(v.from, Link{N: whole.N - 1, Sum: whole.Prev})
	return isNext || !json.Valid(l.Text) // the head says whether it was cut off
}

// contradiction returns what contradicts a line that follows the one before it, or "".
func (v *verifier) contradiction(at Line) string {
	sum, witnessed := v.seen[at.N]
	switch {
	case at.N == v.head.Last.N && at.Sum != v.head.Last.Sum, at.N == v.head.Removed.N && at.Sum != v.head.Removed.Sum:
		return "not the line that " + HeadName + " says it is"
	case witnessed && at.Sum != sum:
		return "not the line that the witness has seen"
	case at.Type == Repair && bytes.Contains(at.Text, []byte(`"missing":"`)) && !bytes.Contains(at.Text, []byte(`"cut":`)):
		return "the trail was not whole when this line was written"
	}
	return ""
}

// Numbers names the lines of the trail from one number to another.
func Numbers(from, to int64) string {
	if from == to {
		return fmt.Sprintf("line %d of the trail is", from)
	}
	return fmt.Sprintf("lines %d to %d of the trail are", from, to)
}
