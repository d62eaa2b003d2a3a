package main

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/ofac"
)

func (l *listsCall) imports(ctx context.Context, args []string) error {
	if err := l.lists.wantStore(); err != nil {
		return err
	}
	if len(args) == 0 {
		return errors.New("want ID=FILE, such as OFAC_SDN=sdn_advanced.xml")
	}
	downloaded, err := l.downloadTime(time.Now())
	if err != nil {
		return err
	}
	srcs, err := l.lists.sources(false)
	if err != nil {
		return err
	}
	files, imports, err := l.filesOf(args, downloaded)
	if err != nil {
		return err
	}
	// The others stay as they are.
	srcs = slices.DeleteFunc(srcs, func(s sources.Source) bool { return files[s.Info().ID] != nil })
	srcs = append(srcs, imports...)
	show := newStatusLine(l.stderr)
	opts := &screening.Options{LoadOnly: true, Bytes: show.bytes}
	if l.accept {
		opts.Accept = func(source string, _ error, _, _ screening.SourceStatus) bool { return files[source] != nil }
	}
	return l.load(ctx, srcs, opts, files, show)
}

// filesOf returns the files that args name, as ID=FILE, by the ids of their lists, and the same as
// sources that are compared with the bundle.
func (l *listsCall) filesOf(args []string, downloaded time.Time) (files map[string]*imported, srcs []sources.Source, err error) {
	var known []string
	for _, p := range l.lists.catalog() {
		known = append(known, p.id())
	}
	files = make(map[string]*imported)
	for _, arg := range args {
		id, file, ok := strings.Cut(arg, "=")
		p := l.lists.published(id)
		switch {
		case !ok || file == "":
			return nil, nil, fmt.Errorf("%q: want ID=FILE, such as OFAC_SDN=sdn_advanced.xml; IDs are %s", arg, orList(known))
		case p == nil:
			return nil, nil, fmt.Errorf("there is no list %.80q%s", id, didYouMean(id, known, ""))
		case p.final:
			return nil, nil, fmt.Errorf("%s is final and part of the program: there is nothing to import", id)
		case p.parse == nil:
			return nil, nil, fmt.Errorf("%s comes from nodes, and not from a file: want lists refresh %s", id, p.needs)
		case files[id] != nil:
			return nil, nil, fmt.Errorf("%s is given twice", id)
		}
		files[id] = newImported(p.live("").Info(), file, l.comments, p.parse, downloaded)
		srcs = append(srcs, p.seeded(files[id]))
	}
	return files, srcs, nil
}

// downloadTime returns the time of -downloaded, zero if it is not set.
func (l *listsCall) downloadTime(now time.Time) (t time.Time, err error) {
	if l.downloaded == "" {
		return t, nil
	}
	t, _, ok := dayOrTime(l.downloaded)
	if !ok || t.After(now) {
		return t, fmt.Errorf("-downloaded %.40q: want a day such as 2026-11-01, or a time (RFC 3339), that is not in the future", l.downloaded)
	}
	return t, nil
}

// printLost prints the first addresses that a list has lost.
func printLost(w io.Writer, report screening.SourceReport) error {
	const most = 20
	n := 0
	for e, err := range report.AllRemoved() {
		if err != nil {
			return err
		}
		if n++; n > most {
			fmt.Fprintf(w, "%s lost %s more; lists diff shows all\n", report.Info.ID, grouped(int64(report.Removed-most)))
			break
		}
		fmt.Fprintln(w, fold(fmt.Sprintf("%s lost %s %s", report.Info.ID, clean(e.Text()), clean(e.Name))))
	}
	return nil
}

// An imported list is in a file that the operator has downloaded.
type imported struct {
	sources.Source
	file       string
	downloaded time.Time // zero: not known
	comments   []byte    // the SHA-256 of sdn_comments.csv; nil if the file is not sdn.csv
	digest     string    // of the list
}

// newImported returns the list in a file. comments names the second file of OFAC's sdn.csv;
// if it is "", that is sdn_comments.csv in the same directory, if it exists.
func newImported(info sources.Info, file, comments string, parse func(io.Reader, func(sources.Entry) error) (sources.Revision, error), downloaded time.Time) *imported {
	s := &imported{file: file, downloaded: downloaded}
	s.Source = sources.File(info, file, func(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
		in := bufio.NewReader(r)
		if info.ID != "OFAC_SDN" || !isCSV(in) {
			if comments != "" {
				return sources.Revision{}, errors.New("-comments: want it with OFAC_SDN=sdn.csv only")
			}
			return parse(in, add)
		}
		return s.parseCSV(in, file, comments, add)
	})
	return s
}

// isCSV reports whether a file of OFAC is neither XML nor a ZIP archive.
func isCSV(in *bufio.Reader) bool {
	start, _ := in.Peek(1)
	return len(start) > 0 && (start[0] >= '0' && start[0] <= '9' || start[0] == '"')
}

// parseCSV reads the two files of OFAC's CSV.
func (s *imported) parseCSV(in io.Reader, file, comments string, add func(sources.Entry) error) (rev sources.Revision, err error) {
	var more io.Reader
	sum := sha256.New()
	r, err := os.Open(cmp.Or(comments, filepath.Join(filepath.Dir(file), "sdn_comments.csv")))
	if err == nil {
		defer r.Close()
		more = io.TeeReader(r, sum)
	} else if comments != "" || !errors.Is(err, fs.ErrNotExist) {
		return rev, fmt.Errorf("-comments: %w", err)
	}
	rev, err = ofac.ParseCSV(in, more, add)
	if err != nil && more == nil {
		return rev, fmt.Errorf("%w; remarks continue in sdn_comments.csv: put it beside sdn.csv, or name it with -comments", err)
	}
	s.comments = sum.Sum(nil)
	return rev, err
}

var errUndated = errors.New("the file does not say when it was published: want -downloaded with the day on which you downloaded it")

// Load reads the list. Its entries are seen first on the day of the list.
func (s *imported) Load(ctx context.Context, _ sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	var entries []sources.Entry
	// The file is always read: its digest says nothing about the comments.
	rev, err := s.Source.Load(ctx, sources.Revision{}, func(e sources.Entry) error {
		entries = append(entries, e)
		return nil
	})
	if err != nil {
		return rev, err
	}
	if s.comments != nil {
		sum := sha256.Sum256(append([]byte(rev.Digest), s.comments...))
		rev.Digest, rev.ETag = hex.EncodeToString(sum[:]), ""
	}
	s.digest = rev.Digest
	now := time.Now()
	switch {
	case s.downloaded.IsZero() && rev.Published.IsZero() && s.Info().Jurisdiction != sources.Community:
		return rev, errUndated
	case s.downloaded.IsZero() && rev.Checked.After(now): // its publication, or the time of the file
		return rev, fmt.Errorf("the file is of %s, a time to come: want -downloaded with the day on which you downloaded it", minute(rev.Checked))
	case s.downloaded.IsZero():
	case s.downloaded.Add(oneDay).Before(rev.Published) && !rev.Published.After(now): // the day may begin later where it is published
		return rev, fmt.Errorf("-downloaded %s: the list was published later, on %s", day(s.downloaded), day(rev.Published))
	default:
		rev.Checked = s.downloaded
	}
	seen := rev.Published
	if seen.IsZero() {
		seen = rev.Checked
	}
	for _, e := range entries {
		if seen.Before(e.FirstSeen) {
			e.FirstSeen = seen
		}
		if err := add(e); err != nil {
			return rev, err
		}
	}
	return rev, nil
}

// load refreshes the sources into the store, and prints the results for the imported files, or
// for all.
func (l *listsCall) load(ctx context.Context, srcs []sources.Source, opts *screening.Options, files map[string]*imported, show *statusLine) error {
	s, err := l.open(ctx, &l.lists, srcs, true, opts)
	if err != nil {
		return err
	}
	r, _ := s.Refresh(ctx)
	show.finish()
	failed := false
	t := layout{}
	t.add("LIST", "RESULT", ">ADDED", ">REMOVED", ">ADDRESSES", "PUBLISHED", "")
	for _, x := range r.Sources {
		if files != nil && files[x.Info.ID] == nil {
			continue
		}
		result, why := "loaded", ""
		switch {
		case x.Err != nil:
			result, why, failed = "FAILED", x.Err.Error(), true
			for _, suspect := range []error{screening.ErrShrunk, screening.ErrEmptied, screening.ErrGrown, screening.ErrOlder, screening.ErrFuture, screening.ErrCut} {
				if errors.Is(x.Err, suspect) {
					result = "REFUSED"
				}
			}
		case x.Unchanged:
			result = "unchanged"
			if f := files[x.Info.ID]; f != nil && f.digest != x.Digest {
				result, why, failed = "REFUSED", "the file is older than the list held, which was checked on "+day(x.LastUpdated), true
			}
		case l.accept:
			if err := printLost(l.stderr, x); err != nil {
				return err
			}
		}
		if x.StoreErr != nil && why == "" {
			result, why, failed = "NOT KEPT", x.StoreErr.Error(), true
		}
		if l.json {
			err := writeJSON(l.stdout, map[string]any{"id": x.Info.ID, "result": strings.ToLower(result), "added": x.Added, "removed": x.Removed,
				"address_count": x.Addresses, "published_at": orNull(x.Published), "error": why})
			if err != nil {
				return err
			}
			continue
		}
		t.add(x.Info.ID, result, grouped(int64(x.Added)), grouped(int64(x.Removed)), grouped(int64(x.Addresses)), day(x.Published), why)
	}
	if !l.json {
		if err := t.print(l.stdout); err != nil {
			return err
		}
	}
	if failed {
		return errSilent
	}
	return nil
}
