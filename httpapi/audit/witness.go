package audit

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/walletscreen/walletscreen/internal/evidence"
)

// A witnessLine says which line of a trail was the last at a time. Mark is the sum of the rest.
type witnessLine struct {
	Time  time.Time `json:"time"`
	Event string    `json:"event"` // start, stop or day
	evidence.Link
	Mark string `json:"mark"`
}

func (l *witnessLine) mark(c evidence.Chain) string {
	return c.Sum(fmt.Appendf(nil, "witness %d %s %d %s", l.Time.UnixMicro(), l.Event, l.N, l.Sum))
}

// readWitness returns the lines of the trail that a file has seen, sums by number, and the number
// of its first line that no writer with this key has written. A file that is not there has seen none.
func readWitness(c evidence.Chain, name string) (seen map[int64]string, bad int, err error) {
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
		var l witnessLine
		if json.Unmarshal(lines.Bytes(), &l) == nil && l.Mark == l.mark(c) {
			seen[l.N] = l.Sum
		} else if bad == 0 {
			bad = n
		}
	}
	return seen, bad, lines.Err()
}

// testify appends a line to the file of Options.Witness.
func (w *writer) testify(event string) error {
	if w.Witness == "" {
		return nil
	}
	l := witnessLine{Time: time.Now().UTC().Truncate(time.Microsecond), Event: event, Link: w.head.Last}
	l.Mark = l.mark(w.chain)
	text, err := evidence.JSON(l)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(w.Witness, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	return errors.Join(err, f.Sync(), f.Close())
}
