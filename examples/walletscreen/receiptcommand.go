package main

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"
	signed "golang.org/x/mod/sumdb/note"

	"github.com/walletscreen/walletscreen/examples/walletscreen/internal/rows"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/screening/receipt"
	"github.com/walletscreen/walletscreen/sources/store"
)

// The exit codes of receipt verify.
const (
	exitSame       = 0
	exitDifferent  = 1
	exitCannotTell = 2
)

// A receiptCall is a call of a command below receipt.
type receiptCall struct {
	*program
	lists     listOptions
	key       string
	out, name string
	in        string
	json      bool
}

func (p *program) receiptCommand() *cli.Command {
	r := &receiptCall{program: p}
	return &cli.Command{
		Name:  "receipt",
		Usage: "verifies and bundles receipts, and creates keys",
		Commands: []*cli.Command{
			command("receipt verify", "[flags] FILE", "verifies receipts with the lists of their time",
				"Each receipt is same, different or cannot tell. With -key, a receipt that the key has not\n"+
					"signed is never same. Lists that -data and -db do not have are those of the bundle, or the bundled\n"+
					"ones; without the lists, a receipt that the key has signed is authentic, and no more. The receipt of a table needs the table: give it with -in, and with -out\n"+
					"what screen has made of it.\n\n"+
					"Exit codes: 0 if all are the same; 1 if one is different, or its signature is wrong; 2 if one\n"+
					"cannot be verified, for example because its lists are no longer stored. 1 wins over 2.",
				[]cli.Flag{
					p.text("data", "", "`directory` with the lists of that time: the one given to serve", &r.lists.data),
					p.dbFlag(&r.lists),
					p.text("key", "", "`file` with the public key that must have signed the receipts", &r.key),
					p.text("in", "", "`file` with the table of the receipt, as it was given to screen -in", &r.in),
					p.text("out", "", "`file` with the table of verdicts, as screen -out has written it (default: it is not compared)", &r.out),
					p.flag("json", "print one JSON object a line", &r.json),
				}, r.verify),
			command("receipt bundle", "-out FILE [flags] FILE", "writes receipts and their lists to one file",
				"receipt verify takes it in place of the receipts, and needs nothing beside it but the public key.\n"+
					"The lists, your own ones too, are whole, and the exceptions have their reasons.",
				[]cli.Flag{
					p.text("data", "", "`directory` with the lists of that time (default: the lists are the bundled ones)", &r.lists.data),
					p.dbFlag(&r.lists),
					p.text("out", "", "`file` to write; it must not exist", &r.out),
				}, r.bundle),
			command("receipt key", "-out FILE [flags]", "creates a key pair to sign receipts",
				"The private key is in FILE, which only its owner can read: give it to -receipt-key of screen and serve.\nThe public key is in FILE.pub: give it to those who verify.",
				[]cli.Flag{
					p.text("out", "", "`file` to write; it must not exist", &r.out),
					p.text("name", "walletscreen", "`name` of the signer, as example.com/screening", &r.name),
				}, r.makeKey),
		},
	}
}

// makeKey makes a pair of keys.
func (r *receiptCall) makeKey(context.Context, []string) error {
	if r.out == "" {
		return errors.New("want -out, the file to write")
	}
	private, public, err := signed.GenerateKey(rand.Reader, r.name)
	if err != nil {
		return err
	}
	if _, err := signed.NewVerifier(public); err != nil {
		return fmt.Errorf("-name %q: want a name without blanks and plus signs", r.name)
	}
	if err := writeNew(r.out, private+"\n", 0o600); err != nil {
		return err
	}
	if err := writeNew(r.out+".pub", public+"\n", 0o644); err != nil {
		return errors.Join(err, os.Remove(r.out))
	}
	_, err = fmt.Fprintf(r.stdout, "%s      private key, which only its owner can read: for -receipt-key of screen and serve\n%[1]s.pub  public key: for receipt verify -key\n", r.out)
	return err
}

// verify verifies the receipts of a file.
func (r *receiptCall) verify(ctx context.Context, args []string) error {
	switch {
	case len(args) == 0:
		return errors.New("want a FILE of receipts")
	case len(args) > 1:
		return fmt.Errorf("%w; one FILE at a time", unexpected(args[1]))
	case r.out != "" && r.in == "":
		return errors.New("-out needs -in")
	}
	noLists := r.lists.wantStore()
	if noLists != nil && r.key == "" {
		return fmt.Errorf("%w; without them, -key verifies the signatures", noLists)
	}
	f, err := os.Open(args[0])
	if err != nil {
		return err
	}
	defer f.Close()
	in, copied, remove, err := r.openReceipts(f)
	defer remove()
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	opts := receipt.Options{Copy: copied, Table: func(rec *receipt.Receipt, past *screening.Past) (*receipt.Table, error) {
		return r.screenAgain(ctx, rec, past)
	}}
	if r.key != "" {
		verifier, err := readVerifier(r.key)
		if err != nil {
			return fmt.Errorf("-key: %w", err)
		}
		opts.Keys = []signed.Verifier{verifier}
	}
	if noLists == nil {
		if opts.Store, err = r.openStore(ctx, &r.lists, false); err != nil {
			return err
		}
	}
	different, unknown := 0, 0
	if err := eachReceipt(in, func(n int, data []byte) error {
		v, err := receipt.Verify(ctx, data, &opts)
		if err != nil {
			v = receipt.Verdict{Outcome: receipt.CannotTell, Reason: err}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		switch v.Outcome {
		case receipt.Same:
		case receipt.Different:
			different++
		default:
			unknown++
		}
		return r.print(n, &v, r.key != "")
	}); err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	switch {
	case different > 0:
		r.code = exitDifferent
	case unknown > 0:
		r.code = exitCannotTell
	default:
		r.code = exitSame
	}
	return nil
}

// A jsonVerdict is the verdict on a receipt, for programs.
type jsonVerdict struct {
	Receipt    int       `json:"receipt"` // in the file, from 1
	Outcome    string    `json:"outcome"`
	Reason     string    `json:"reason,omitempty"`
	SignedBy   string    `json:"signed_by,omitempty"`
	Unsigned   string    `json:"unsigned,omitempty"` // why signed_by is missing
	ScreenedAt string    `json:"screened_at,omitempty"`
	AsOf       time.Time `json:"as_of,omitzero"`
	Chain      string    `json:"chain,omitempty"`
	Address    string    `json:"address,omitempty"`
	Decided    *bool     `json:"decided,omitempty"`
	*screening.Answer

	Table *receipt.Table `json:"table,omitempty"`
}

// print prints the verdict on receipt n.
func (r *receiptCall) print(n int, v *receipt.Verdict, keyed bool) error {
	o := jsonVerdict{Receipt: n, Outcome: v.Outcome, SignedBy: v.Signer}
	if v.Reason != nil {
		o.Reason = v.Reason.Error()
	}
	rec := v.Receipt
	switch {
	case rec == nil:
	case rec.Table != nil:
		o.ScreenedAt, o.Table = rec.Time.Format(time.RFC3339), rec.Table
	default:
		decided := rec.Decided()
		o.AsOf, o.ScreenedAt, o.Chain, o.Address, o.Decided, o.Answer = rec.AsOf, rec.Time.Format(time.RFC3339), string(rec.Chain), rec.Address, &decided, rec.Answer
	}
	if v.Unsigned != nil {
		o.Unsigned = v.Unsigned.Error()
		if !keyed && o.Unsigned != "not signed" {
			o.Unsigned = "not verified, without -key"
		}
	}
	if r.json {
		return writeJSON(r.stdout, o)
	}
	outcome := strings.ToUpper(v.Outcome)
	if v.Outcome == receipt.Authentic {
		o.Reason += ": give -data or -db, or a bundle"
		if r.in != "" && rec.Table != nil {
			o.Reason = "these are the files; " + o.Reason
		}
	}
	switch {
	case rec != nil && rec.Table == nil:
		level := fmt.Sprintf("%s  %d", clean(string(rec.Level)), rec.Score)
		if !rec.Decided() {
			level = "NOT DECIDED"
		}
		if !o.AsOf.IsZero() {
			level += " as of " + o.AsOf.Format(time.RFC3339)
		}
		fmt.Fprintf(r.stdout, "%s  %s  %s %.200s, screened %s\n", outcome, level, clean(o.Chain), clean(o.Address), o.ScreenedAt)
		if len(rec.Doubts) > 0 {
			fmt.Fprintf(r.stdout, "  in doubt: %s\n", clean(joinDoubts(rec.Doubts)))
		}
		for _, c := range rec.Caveats {
			fmt.Fprintf(r.stdout, "  not to be relied on: %s was %s\n", clean(c.Source), clean(string(c.Kind)))
		}
	case rec != nil:
		fmt.Fprintf(r.stdout, "%s  table of %s, %s listed, screened %s\n", outcome, counted(rec.Table.Rows, "row"), grouped(listedRows(rec.Table)), o.ScreenedAt)
	default:
		_, err := fmt.Fprintf(r.stdout, "%s  receipt %d\n  %s\n", outcome, n, clean(o.Reason))
		return err
	}
	if o.Reason != "" {
		fmt.Fprintf(r.stdout, "  %s\n", clean(o.Reason))
	}
	signature := "signature: " + o.Unsigned
	if v.Signer != "" {
		signature = "signature of " + v.Signer + " holds"
	}
	_, err := fmt.Fprintf(r.stdout, "  %s\n", signature)
	return err
}

// bundle writes receipts and their lists to a file.
func (r *receiptCall) bundle(ctx context.Context, args []string) (err error) {
	if len(args) != 1 || r.out == "" {
		return errors.New("want a FILE of receipts, and -out, the file to write")
	}
	text, err := readAtMost(args[0], int64(maxBundle))
	if err != nil {
		return err
	}
	dir, to, err := tempStore()
	defer os.RemoveAll(dir)
	if err != nil {
		return err
	}
	bundled, remove := bundledStore()
	defer remove()
	from := []func(context.Context) (store.Store, error){bundled}
	if r.lists.wantStore() == nil {
		from = append(from, func(ctx context.Context) (store.Store, error) { return r.openStore(ctx, &r.lists, false) })
	}
	n, done := 0, make(map[string]bool)
	err = eachReceipt(bytes.NewReader(text), func(_ int, data []byte) error {
		n++
		v, err := receipt.Verify(ctx, data, nil)
		if err != nil || done[v.Receipt.Snapshot] {
			return err
		}
		done[v.Receipt.Snapshot] = true
		for _, open := range slices.Backward(from) {
			var st store.Store
			if st, err = open(ctx); err == nil {
				err = copyLists(ctx, to, st, v.Receipt)
			}
			if !errors.Is(err, store.ErrNotFound) {
				return err
			}
		}
		return fmt.Errorf("its lists are not kept in -data or -db, and are not the bundled ones: %w", err)
	})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, receiptsName), text, 0o600)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	if err := errors.Join(z.AddFS(os.DirFS(dir)), z.Close()); err != nil {
		return err
	}
	if err := writeNew(r.out, b.String(), 0o600); err != nil {
		return fmt.Errorf("-out: %w", err)
	}
	_, err = fmt.Fprintf(r.stdout, "%s  %s, with all lists\n", r.out, counted(int64(n), "receipt"))
	return err
}

// openReceipts returns the receipts of a file, and a function that returns a store with lists: the lists of a
// bundle, or the bundled ones. remove removes it.
func (r *receiptCall) openReceipts(f *os.File) (in io.Reader, copied func(context.Context) (store.Store, error), remove func(), err error) {
	magic := make([]byte, 4)
	if n, _ := f.ReadAt(magic, 0); n < 4 || string(magic) != "PK\x03\x04" {
		copied, remove = bundledStore()
		return f, copied, remove, nil
	}
	dir, st, err := tempStore()
	remove = func() { os.RemoveAll(dir) }
	if err != nil {
		return nil, nil, remove, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, nil, remove, err
	}
	z, err := zip.NewReader(f, info.Size())
	if err != nil {
		return nil, nil, remove, err
	}
	size := uint64(0) // a file that is larger than it says is an error
	for _, file := range z.File {
		size += min(file.UncompressedSize64, maxBundle) + fileBlock
	}
	if size > maxBundle {
		return nil, nil, remove, fmt.Errorf("larger than %d bytes", maxBundle)
	}
	var text []byte
	if err = os.CopyFS(dir, z); err == nil {
		text, err = os.ReadFile(filepath.Join(dir, receiptsName))
	}
	return bytes.NewReader(text), func(context.Context) (store.Store, error) { return st, nil }, remove, err
}

// screenAgain screens the table of -in again with the lists of the past, for verifying its
// receipt, and reads the table of -out if it is given.
func (r *receiptCall) screenAgain(ctx context.Context, rec *receipt.Receipt, past *screening.Past) (table *receipt.Table, err error) {
	if past != nil && r.in == "" {
		return nil, errors.New("its lists are kept; for the verdicts, give the table that was screened with -in")
	}
	input, err := fileSum("in", r.in)
	if err != nil {
		return nil, err
	}
	output, err := fileSum("out", r.out)
	if table = (&receipt.Table{Input: input, Output: output}); err != nil || past == nil || input != rec.Table.Input {
		return table, err
	}
	job := &tableJob{program: &program{stdin: r.stdin, stdout: io.Discard, stderr: io.Discard}, options: tableOptions{in: r.in}, add: verdictColumns, hashes: newTableHashes()}
	if err := job.options.setSettings(rec.Table.Settings); err != nil {
		return nil, err
	}
	j := &judge{screener: past, at: past.At(), chain: job.options.chain, each: func(_ *rows.Row, v *verdict) { v.hash(job.hashes.verdicts) }}
	job.cells = j.cells
	if err := job.run(ctx); err != nil {
		return nil, err
	}
	table = job.table()
	table.Input, table.Output = input, output
	return table, nil
}

// fileSum returns the SHA-256 of the file of a flag, and "" if there is none.
func fileSum(flag, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	f, err := os.Open(name)
	if err != nil {
		return "", fmt.Errorf("-%s: %w", flag, err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", fmt.Errorf("-%s: %w", flag, err)
	}
	return hexSum(h), nil
}
