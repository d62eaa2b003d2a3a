package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	signed "golang.org/x/mod/sumdb/note"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/journal"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/screening/receipt"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/bundle"
	"github.com/walletscreen/walletscreen/sources/store"
)

// A receiptFile is the file of screen -receipt.
type receiptFile struct {
	file    *os.File
	signers []signed.Signer // none or one
	missing int             // verdicts without a receipt
}

// openReceipts opens a file to append receipts, which are signed with the key in keyFile unless that is "".
func openReceipts(name, keyFile string) (*receiptFile, error) {
	f := &receiptFile{}
	var err error
	if f.signers, err = openSigners(keyFile); err != nil {
		return nil, err
	}
	if f.file, err = os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err != nil {
		return nil, fmt.Errorf("-receipt: %w", err)
	}
	return f, nil
}

// add writes the receipt of a verdict, if there is one: there is none without a level,
// none of an account that is listed only elsewhere, and none about what may be a private key. The
// receipt names the chain and has the text if it is one word, else the normal form of the address: its
// answer, which the lists give again, may have fewer doubts than the verdict.
func (f *receiptFile) add(v *verdict, lists screeningLists) error {
	if v.err != nil || !v.hasLevel() {
		f.missing++
		return nil
	}
	chain, text, result := cmp.Or(v.result.Address.Chain(), v.reading.Chain, "bitcoin"), strings.TrimSpace(v.input), v.result
	if a := result.Address; a.IsValid() {
		var err error
		if result, _, err = lists.ScreenInput(string(chain), text); err != nil || result.Address != a || strings.ContainsAny(text, " \t\r\n") {
			text = a.Normalized()
			if result, _, err = lists.ScreenInput(string(chain), text); err != nil {
				return err
			}
		}
	}
	rec, err := receipt.New(chain, text, result, time.Now())
	if errors.Is(err, address.ErrSecret) {
		f.missing++
		return nil
	}
	var data []byte
	if err == nil {
		data, err = rec.Encode(f.signers...)
	}
	if err == nil {
		_, err = f.file.Write(data)
	}
	return err
}

// close flushes the file. It says so if nobody keeps the lists of the last receipt, unless that is nil.
func (f *receiptFile) close(ctx context.Context, p *program, last *screening.Result) error {
	err := errors.Join(f.file.Sync(), f.file.Close())
	if err != nil {
		return fmt.Errorf("-receipt: %w", err)
	}
	if last != nil && !keepsLists(ctx, p.store, last) {
		fmt.Fprintln(p.stderr, "walletscreen: the receipt cannot be verified later: no -data or -db keeps these lists.\n"+
			"Keep them with lists refresh, with the same flags -data, -lists and -list, and screen again")
	}
	return nil
}

// eachReceipt calls each for the receipts of a file, which are numbered from 1.
func eachReceipt(r io.Reader, each func(n int, data []byte) error) error {
	in := bufio.NewScanner(r)
	in.Buffer(nil, 2<<20)
	in.Split(func(data []byte, atEOF bool) (int, []byte, error) { // a receipt has its signatures behind it
		if i := bytes.Index(data, []byte("\n{")); i >= 0 {
			return i + 1, data[:i+1], nil
		}
		if atEOF && len(data) > 0 {
			return len(data), data, nil
		}
		return 0, nil, nil
	})
	n := 0
	for in.Scan() {
		n++
		if err := each(n, in.Bytes()); err != nil {
			return fmt.Errorf("receipt %d: %w", n, err)
		}
	}
	if in.Err() == nil && n == 0 {
		return errors.New("there is no receipt in the file")
	}
	return in.Err()
}

var errListsChanged = errors.New("the lists have changed meanwhile: screen the table again")

// receipt returns the receipt of a table that was read to its end, from what it says without the table.
func (t *tableJob) receipt(rec *receipt.Receipt, j *judge, signers []signed.Signer) ([]byte, error) {
	r, err := j.screener.Screen(anyAddress)
	if err == nil && r.Digest() != rec.Snapshot {
		err = errListsChanged
	}
	if err != nil {
		return nil, err
	}
	rec.Table = t.table()
	rec.Table.Input, rec.Table.Output, rec.Table.Settings = hexSum(t.hashes.input), hexSum(t.hashes.output), t.options.settings()
	return rec.Encode(signers...)
}

// keepsLists reports whether a store, which may be nil, or the program has the lists of a result.
func keepsLists(ctx context.Context, st store.Store, r *screening.Result) bool {
	var ids []string
	for _, s := range r.Sources() {
		ids = append(ids, s.Info.ID)
	}
	if st != nil {
		if _, err := journal.Find(ctx, st, r.Digest(), ids); err == nil {
			return true
		}
	}
	lists := slices.DeleteFunc(bundle.All(), func(src sources.Source) bool { return !slices.Contains(ids, src.Info().ID) })
	s, err := screening.New(lists, &screening.Options{Optional: idsOf(lists)})
	if err == nil {
		_, err = s.Open(ctx)
	}
	return err == nil && s.Digest() == r.Digest()
}

func hexSum(h hash.Hash) string { return hex.EncodeToString(h.Sum(nil)) }

// table returns what became of the rows, for a receipt.
func (t *tableJob) table() *receipt.Table {
	levels := maps.Clone(t.total.levels)
	if levels == nil {
		levels = make(map[score.Level]int64)
	}
	return &receipt.Table{Rows: t.total.rows, Levels: levels, Undecided: t.total.undecided, Verdicts: hexSum(t.hashes.verdicts)}
}

// hash writes the verdict as one line of JSON, without the texts for people, which another
// version of the program may word otherwise, and without dates.
func (v *verdict) hash(w io.Writer) {
	r := &v.result
	json.NewEncoder(w).Encode(struct { // a hash returns no error
		Level              score.Level
		Score              int
		Doubts             []address.Doubt
		Undecided          bool
		Labels, Suppressed []labelKey
	}{r.Level, r.Score, r.Doubts, v.isUndecided(), labelKeys(r.Labels), labelKeys(suppressedLabels(r))})
}

// reading returns what says how a table is read, by the names of the flags.
func (o *tableOptions) reading() map[string]*string {
	return map[string]*string{
		"chain": &o.chain, "address-column": &o.addressColumn, "chain-column": &o.chainColumn,
		"format": &o.format, "delimiter": &o.delimiter, "sheet": &o.sheet,
	}
}

// settings returns how a table is read, for a receipt.
func (o tableOptions) settings() map[string]string {
	o.format = o.formatOrName()
	all := make(map[string]string)
	for name, value := range o.reading() {
		if *value != "" {
			all[name] = *value
		}
	}
	return all
}

// setSettings sets how a table is read.
func (o *tableOptions) setSettings(all map[string]string) error {
	known := o.reading()
	for name, value := range all {
		if known[name] == nil {
			return fmt.Errorf("this program does not know the setting %.40q of the receipt", name)
		}
		*known[name] = value
	}
	return o.checkDelimiter()
}

// A bundle is a zip file: receiptsName has the receipts, and the other files are a store with their lists.
const (
	receiptsName = "receipts.jsonl"
	fileBlock    = 4 << 10 // of the disk, for each file
)

var maxBundle uint64 = 1 << 30 // bytes, unpacked

// bundledStore returns a function that returns a store of the bundled lists, which it makes in dir once.
func bundledStore(dir string) func(context.Context) (store.Store, error) {
	var st store.Store
	return func(ctx context.Context) (_ store.Store, err error) {
		if st != nil {
			return st, nil
		}
		if st, err = store.Open(dir); err != nil {
			return nil, err
		}
		s, err := screening.New(bundle.All(), &screening.Options{Store: st, Optional: idsOf(bundle.All())})
		if err == nil {
			_, err = s.Open(ctx)
		}
		return st, err
	}
}

// copyLists copies the lists of a receipt from one store to another. The error wraps store.ErrNotFound if from does not have them.
func copyLists(ctx context.Context, to, from store.Store, r *receipt.Receipt) error {
	var ids []string
	for i := range r.Lists {
		ids = append(ids, r.Lists[i].Source)
	}
	found, err := journal.Find(ctx, from, r.Snapshot, ids)
	if err != nil {
		return err
	}
	log := journal.New(to, func() time.Time { return r.Time })
	if err := log.Follow(ctx); err != nil {
		return err
	}
	log.Begin(journal.Program{Answers: true, Sources: found.Lists, Scoring: r.ScoringVersion}, &found.Exceptions)
	for _, id := range found.Lists {
		held := found.Held[id]
		f, err := journal.Open(ctx, from, id, &held, nil)
		if err == nil {
			_, err = log.Put(ctx, f)
		}
		if err == nil {
			err = log.Append(ctx, &journal.Line{Type: journal.Accepted, Source: id, Held: &held}, nil)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
