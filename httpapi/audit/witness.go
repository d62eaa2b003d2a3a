package audit

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/walletscreen/walletscreen/internal/evidence"
)

// testify appends a line to the file of Options.Witness.
func (w *writer) testify(event string) error {
	if w.Witness == "" {
		return nil
	}
	l := evidence.Witness{Time: time.Now().UTC().Truncate(time.Microsecond), Event: event, Link: w.head.Last}
	text, err := evidence.JSON(l.Seal(w.chain))
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

// writeHead writes the head. It follows a flush of the lines, so it never says too much.
func (w *writer) writeHead() error {
	w.head.Keyed = w.HashKey != nil
	w.head = w.head.Seal(w.chain)
	text, err := json.Marshal(w.head)
	if err != nil {
		return err
	}
	if w.headFile == nil {
		if w.headFile, err = os.OpenFile(filepath.Join(w.dir, evidence.HeadName), os.O_WRONLY|os.O_CREATE, 0o600); err != nil {
			return err
		}
	}
	text = append(text, bytes.Repeat([]byte(" "), max(evidence.HeadSize-1-len(text), 0))...)
	_, err = w.headFile.WriteAt(append(text, '\n'), 0)
	return err
}
