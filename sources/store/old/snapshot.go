package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/sources"
)

const (
	snapshotPrefix = "snapshot"
	snapshotSuffix = ".json"
)

// A snapshotFile is the first part of the file of a snapshot, in JSON, with a line
// feed at its end. The second part is a line with the SHA-256 of the first, in hex.
type snapshotFile struct {
	Digest     string               `json:"digest"`
	Since      time.Time            `json:"since"`
	Lists      map[string]*listName `json:"lists"`
	Exceptions string               `json:"exceptions,omitempty"`
}

// A listName names a revision; it is nil of a list that was not loaded.
type listName struct {
	Digest   string    `json:"digest"`
	Accepted time.Time `json:"accepted"`
}

// SaveSnapshot implements [sources.Store]. A snapshot whose digest is not a SHA-256
// in hex, or which has no time, is an error.
func (d *Dir) SaveSnapshot(ctx context.Context, s *sources.Snapshot) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	name := nameOf(snapshotPrefix, sources.Stored{Digest: s.Digest, Accepted: s.Since}, snapshotSuffix)
	if _, ok := parseName(name, snapshotPrefix, snapshotSuffix); !ok || s.Since.IsZero() {
		return fmt.Errorf("snapshot %.80q of %v: it has no digest, or no time", s.Digest, s.Since)
	}
	file := snapshotFile{Digest: s.Digest, Since: s.Since.UTC(), Lists: make(map[string]*listName), Exceptions: s.Exceptions}
	for id, l := range s.Lists {
		file.Lists[id] = nil
		if l != (sources.Stored{}) {
			file.Lists[id] = &listName{l.Digest, l.Accepted.UTC()}
		}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(file); err != nil {
		return err
	}
	sum := sha256.Sum256(b.Bytes())
	b.WriteString(hex.EncodeToString(sum[:]) + "\n")
	return d.write(name, func(w io.Writer) error {
		_, err := w.Write(b.Bytes())
		return err
	})
}

// Snapshots implements [sources.Store]. It reads the directory, and no file.
func (d *Dir) Snapshots(ctx context.Context) ([]sources.Stored, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return d.list(snapshotPrefix, snapshotSuffix)
}

// LoadSnapshot implements [sources.Store].
func (d *Dir) LoadSnapshot(ctx context.Context, s sources.Stored) (*sources.Snapshot, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	name := nameOf(snapshotPrefix, s, snapshotSuffix)
	if _, ok := parseName(name, snapshotPrefix, snapshotSuffix); !ok {
		return nil, fmt.Errorf("snapshot of %v: %w", s.Accepted, sources.ErrNotStored)
	}
	data, err := d.read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("snapshot of %v: %w", s.Accepted, sources.ErrNotStored)
	}
	if err != nil {
		return nil, err
	}
	text, sum, _ := strings.Cut(data, "\n")
	text += "\n"
	want := sha256.Sum256([]byte(text))
	var file snapshotFile
	if sum != hex.EncodeToString(want[:])+"\n" || json.Unmarshal([]byte(text), &file) != nil ||
		file.Digest != s.Digest || !file.Since.Equal(s.Accepted) {
		return nil, fmt.Errorf("%s: %w", d.file(name), sources.ErrDamaged)
	}
	snap := &sources.Snapshot{Digest: file.Digest, Since: file.Since, Lists: make(map[string]sources.Stored), Exceptions: file.Exceptions}
	for id, l := range file.Lists {
		snap.Lists[id] = sources.Stored{}
		if l != nil {
			snap.Lists[id] = sources.Stored{Digest: l.Digest, Accepted: l.Accepted}
		}
	}
	return snap, nil
}

// dropSnapshots removes the snapshots that had ended before the first of the lists
// that are kept was accepted.
func (d *Dir) dropSnapshots() {
	files, err := os.ReadDir(d.path)
	if err != nil {
		return
	}
	var first time.Time
	for _, f := range files {
		source, _, _ := strings.Cut(f.Name(), "-")
		if s, ok := parseName(f.Name(), source, listSuffix); ok && (first.IsZero() || s.Accepted.Before(first)) {
			first = s.Accepted
		}
	}
	all, err := d.list(snapshotPrefix, snapshotSuffix)
	if err != nil {
		return
	}
	for i := 1; i < len(all); i++ {
		if all[i-1].Accepted.Before(first) {
			os.Remove(d.file(nameOf(snapshotPrefix, all[i], snapshotSuffix)))
		}
	}
}
