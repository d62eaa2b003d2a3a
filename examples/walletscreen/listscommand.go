package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/ofac"
)

// A listsCall is a call of a command below lists.
type listsCall struct {
	*program
	timeout    time.Duration
	accept     bool
	downloaded string
	comments   string
	format     string
	out        string

	spellings   bool
	signingKey  string
	match, salt string
	fromID      string
	keys        []string
	witnesses   []string
}

func (p *program) listsCommand() *cli.Command {
	l := &listsCall{program: p}
	asJSON := boolFlag("json", "print one JSON object a line", &l.json)
	common := l.lists.flags()
	return &cli.Command{
		Name:  "lists",
		Usage: "shows, refreshes, compares, exports and imports lists",
		Commands: []*cli.Command{
			p.command("lists status", "[flags]", "shows each list with its age, size and completeness",
				"Without -data and -db it shows the bundled lists. Exit code 2 if a required list is missing or too old.",
				slices.Concat([]cli.Flag{asJSON}, common), l.status),
			p.command("lists anomalies", "[flags]", "shows odd entries of the lists, and what they mean",
				"Such entries are matched like others. It shows the first hundred of each kind in a list.",
				slices.Concat([]cli.Flag{asJSON}, common), l.anomalies),
			p.command("lists refresh", "[flags]", "fetches the lists into -data or -db",
				"Exit code 2 if a list could not be fetched or was refused; the last good one stays.",
				slices.Concat([]cli.Flag{asJSON,
					limitFlag("timeout", "give up what is not fetched after this `time`, as 5m; the last good lists stay (default: none)", &l.timeout),
				}, l.lists.fetchFlags(), common), l.refresh),
			p.command("lists diff", "[flags] A [B]", "shows what was added and removed between A and B",
				"A and B are days, times (RFC 3339) or digests of snapshots. Without B it compares with now.\n"+
					"It compares all lists that are kept, or those of -lists.",
				slices.Concat([]cli.Flag{asJSON}, common), l.diff),
			p.command("lists export", "[flags]", "writes the entries of the lists as a table",
				"The table has the entries that match now, as the publishers list them. It is for people and\n"+
					"reports: to compare it with addresses finds one spelling of each. To screen the rows of a\n"+
					"database, use screen -in.",
				slices.Concat([]cli.Flag{
					textFlag("format", "csv", "`format` to write: csv; lines, files of addresses by ticker; feed, these and each list as JSON and as a TagPack; or nitro, the address filter of Arbitrum Nitro; see docs/lines.md and docs/nitro.md", &l.format),
					textFlag("out", "", "`file` to write, in csv with .gz at the end compressed; of lines and feed the directory (default: the standard output)", &l.out),
					boolFlag("spellings", "in lines and feed: write the other spellings of each address, too, for programs that compare text", &l.spellings),
					textFlag("receipt-key", "", "in lines and feed: `file` with the private key that signs the manifest; receipt key makes one (default: it is not signed)", &l.signingKey),
					textFlag("match", "exact", "in nitro: `exact or key`, the listed accounts alone, or also those with the key of a listed account of another chain", &l.match),
					textFlag("salt", "", "in nitro: `UUID` to hash with (default: random)", &l.salt),
					textFlag("from-id", "", "export the lists of the `id` in a file that nitro has written", &l.fromID),
				}, common), l.export),
			p.command("lists verify", "[flags] DIR", "checks the signature and the files of a feed",
				"lists export -format feed writes one. Exit code 2 if anything was changed, is missing, or was added. A witness is a daily manifest of\n"+
					"another party that fetches the same lists, in the form lynceris-manifest/1: it says whether\n"+
					"that party got the same bytes from the publisher.",
				[]cli.Flag{
					textsFlag("key", "`files` with the public keys that may have signed the manifest", &l.keys),
					textsFlag("witness", "`files` with manifests of another party, the oldest first if there are several", &l.witnesses),
				}, l.verify),
			p.command("lists import", "[flags] ID=FILE...", "reads downloaded lists into -data or -db",
				"It compares each file with the list held, the bundled one included. A suspect list, such as\n"+
					"an older one or one that lost many addresses, is refused unless -accept is set. A file\n"+
					"confirms nothing: the list is as old as its publication, or its download if you say when\n"+
					"that was. OFAC's sdn.csv is read with sdn_comments.csv.",
				slices.Concat([]cli.Flag{
					boolFlag("accept", "accept a list even if it is suspect, and print the addresses that are lost", &l.accept),
					textFlag("downloaded", "", "`date` or time (RFC 3339) at which you downloaded the files from the publisher (default: their publication date, or, of community lists without one, the time of the file)", &l.downloaded),
					l.lists.keepFlag(),
					textFlag("comments", "", "`file` sdn_comments.csv, for OFAC_SDN=sdn.csv (default: the one beside sdn.csv)", &l.comments),
					asJSON,
				}, common), l.imports),
		},
	}
}

func (l *listsCall) status(ctx context.Context, _ []string) error {
	s, err := l.open(ctx, nil, false, &screening.Options{})
	if err != nil {
		return err
	}
	lists := s.Sources()
	if l.json {
		for _, j := range jsonLists(lists) {
			l.printJSON(j)
		}
	} else {
		t := layout{}
		t.add("LIST", "REQUIRED", ">ENTRIES", "CHECKED AT", "NEXT REFRESH")
		now := time.Now()
		printLists(l, lists, now)
		for _, s := range lists {
			required, next := "no", "due"
			if s.Required {
				required = "yes"
			}
			at := s.LastUpdated.Add(refreshEvery)
			if p := l.lists.published(s.Info.ID); p != nil && p.final || s.Info.Jurisdiction == sources.Operator {
				next = "-" // it is part of the program, or a file
			} else if at.After(now) {
				next = at.UTC().Format("15:04Z")
			}
			t.add(s.Info.ID, required, grouped(int64(s.Entries)), minute(s.LastUpdated), next)
		}
		fmt.Fprintln(l)
		t.print(l)
		printProvenance(l, lists)
		for _, s := range lists {
			if err := failure(s); err != nil {
				fmt.Fprintln(l.stderr, err)
			}
		}
	}
	if l.store != nil {
		if err := l.sayUnasked(ctx, lists, time.Time{}); err != nil {
			return err
		}
	}
	if bad := l.lists.undecidable(s); bad != nil {
		fmt.Fprintln(l.stderr, "walletscreen:", bad)
		return errSilent
	}
	return nil
}

func (l *listsCall) refresh(ctx context.Context, _ []string) error {
	if err := l.lists.wantStore(); err != nil {
		return err
	}
	ctx, done := context.WithTimeoutCause(ctx, cmp.Or(l.timeout, never), fmt.Errorf("not fetched within -timeout %v", l.timeout))
	defer done()
	srcs, err := l.lists.sources(true)
	if err != nil {
		return err
	}
	return l.load(ctx, srcs, nil)
}

func (l *listsCall) imports(ctx context.Context, args []string) error {
	if err := l.lists.wantStore(); err != nil {
		return err
	}
	if len(args) == 0 {
		return errors.New("want ID=FILE, such as OFAC_SDN=sdn_advanced.xml")
	}
	downloaded, _, ok := dayOrTime(l.downloaded)
	if l.downloaded != "" && (!ok || downloaded.After(time.Now())) {
		return fmt.Errorf("-downloaded %.40q: want a day such as 2026-11-01, or a time (RFC 3339), that is not in the future", l.downloaded)
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
	return l.load(ctx, append(srcs, imports...), files)
}

// filesOf returns the files in args by the ids of their lists, and as sources that are compared with the bundle.
func (l *listsCall) filesOf(args []string, downloaded time.Time) (files map[string]*imported, srcs []sources.Source, err error) {
	known := l.lists.ids()
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

// load refreshes the sources into the store, and prints the results for the imported files, or for all if files is nil.
func (l *listsCall) load(ctx context.Context, srcs []sources.Source, files map[string]*imported) error {
	show := newStatusLine(l.stderr)
	opts := &screening.Options{LoadOnly: true, Bytes: show.bytes}
	if l.accept {
		opts.Accept = func(source string, _ error, _, _ screening.SourceStatus) bool { return files[source] != nil }
	}
	s, err := l.open(ctx, srcs, true, opts)
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
			suspect := []error{screening.ErrShrunk, screening.ErrEmptied, screening.ErrGrown, screening.ErrOlder, screening.ErrFuture, screening.ErrCut}
			if slices.ContainsFunc(suspect, func(reason error) bool { return errors.Is(x.Err, reason) }) {
				result = "REFUSED"
				if p := l.lists.published(x.Info.ID); p != nil && p.parse != nil {
					why += "; if it is right, lists import -accept takes it"
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
		l.item(map[string]any{"id": x.Info.ID, "result": strings.ToLower(result), "added": x.Added, "removed": x.Removed,
			"address_count": x.Addresses, "published_at": orNull(x.Published), "error": why}, &t,
			x.Info.ID, result, grouped(int64(x.Added)), grouped(int64(x.Removed)), grouped(int64(x.Addresses)), day(x.Published), why)
	}
	if !l.json {
		t.print(l)
	}
	if failed {
		return errSilent
	}
	return nil
}

func (l *listsCall) anomalies(ctx context.Context, _ []string) error {
	s, err := l.open(ctx, nil, false, &screening.Options{})
	if err != nil {
		return err
	}
	type anomaly struct {
		Source  string `json:"source"`
		Kind    string `json:"kind"`
		Listed  string `json:"listed_address"`
		Asset   string `json:"asset,omitempty"`
		Ref     string `json:"source_ref,omitempty"`
		Name    string `json:"name,omitempty"`
		Meaning string `json:"meaning"`
	}
	for _, status := range s.Sources() {
		id, found := status.Info.ID, s.Anomalies(status.Info.ID)
		if l.json {
			for _, a := range found {
				l.printJSON(anomaly{id, a.Kind, a.Entry.Text(), a.Entry.Asset, a.Entry.Ref, a.Entry.Name, sources.AnomalyMeaning(a.Kind)})
			}
			continue
		}
		for _, k := range slices.Sorted(maps.Keys(status.AnomalyKinds)) {
			fmt.Fprintln(l, fold(fmt.Sprintf("%s: %d %s: %s", id, status.AnomalyKinds[k], k, sources.AnomalyMeaning(k))))
			t := layout{indent: "  "}
			for _, a := range found {
				if a.Kind == k {
					t.add(a.Entry.Text(), a.Entry.Asset, a.Entry.Ref, a.Entry.Name)
				}
			}
			t.print(l)
		}
	}
	return nil
}

// An imported list is in a file that the operator has downloaded.
type imported struct {
	sources.Source
	downloaded time.Time // zero: not known
	comments   []byte    // the SHA-256 of sdn_comments.csv; nil if the file is not sdn.csv
	digest     string    // of the list
}

// newImported returns the list in a file. comments names the second file of OFAC's sdn.csv;
// if it is "", that is sdn_comments.csv in the same directory, if it exists.
func newImported(info sources.Info, file, comments string, parse func(io.Reader, func(sources.Entry) error) (sources.Revision, error), downloaded time.Time) *imported {
	s := &imported{downloaded: downloaded}
	s.Source = sources.File(info, file, func(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
		in := bufio.NewReader(r)
		start, _ := in.Peek(1)
		if isCSV := bytes.ContainsAny(start, "0123456789\""); info.ID != "OFAC_SDN" || !isCSV { // but XML or a ZIP archive
			if comments != "" {
				return sources.Revision{}, errors.New("-comments: want it with OFAC_SDN=sdn.csv only")
			}
			return parse(in, add)
		}
		return s.parseCSV(in, file, comments, add)
	})
	return s
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
	seen := cmp.Or(rev.Published, rev.Checked)
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
