package main

import (
	"archive/zip"
	"bytes"
	"cmp"
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

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/screening/receipt"
	"github.com/walletscreen/walletscreen/sources/store"
)

// A receiptCall is a call of a command below receipt.
type receiptCall struct {
	*program
	key       string
	out, name string
	in        string
}

func (p *program) receiptCommand() *cli.Command {
	r := &receiptCall{program: p}
	return &cli.Command{
		Name:  "receipt",
		Usage: "verifies and bundles receipts, and creates keys",
		Commands: []*cli.Command{
			p.command("receipt verify", "[flags] FILE", "verifies receipts with the lists of their time",
				"Each receipt is same, different or cannot tell. With -key, a receipt that the key has not\n"+
					"signed is never same. Lists that -data and -db do not have are those of the bundle, or the bundled\n"+
					"ones; without the lists, a receipt that the key has signed is authentic, and no more. The receipt of a table needs the table: give it with -in, and with -out\n"+
					"what screen has made of it.\n\n"+
					"Exit codes: 0 if all are the same; 1 if one is different, or its signature is wrong; 2 if one\n"+
					"cannot be verified, for example because its lists are no longer stored. 1 wins over 2.",
				[]cli.Flag{
					textFlag("data", "", "`directory` with the lists of that time: the one given to serve", &r.lists.data),
					r.lists.dbFlag(),
					textFlag("key", "", "`file` with the public key that must have signed the receipts", &r.key),
					textFlag("in", "", "`file` with the table of the receipt, as it was given to screen -in", &r.in),
					textFlag("out", "", "`file` with the table of verdicts, as screen -out has written it (default: it is not compared)", &r.out),
					boolFlag("json", "print one JSON object a line", &r.json),
				}, r.verify),
			p.command("receipt bundle", "-out FILE [flags] FILE", "writes receipts and their lists to one file",
				"receipt verify takes it in place of the receipts, and needs nothing beside it but the public key.\n"+
					"The lists, your own ones too, are whole, and the exceptions have their reasons.",
				[]cli.Flag{
					textFlag("data", "", "`directory` with the lists of that time (default: the lists are the bundled ones)", &r.lists.data),
					r.lists.dbFlag(),
					textFlag("out", "", "`file` to write; it must not exist", &r.out),
				}, r.bundle),
			p.command("receipt key", "-out FILE [flags]", "creates a key pair to sign receipts",
				"The private key is in FILE, which only its owner can read: give it to -receipt-key of screen and serve.\nThe public key is in FILE.pub: give it to those who verify.",
				[]cli.Flag{
					textFlag("out", "", "`file` to write; it must not exist", &r.out),
					textFlag("name", "walletscreen", "`name` of the signer, as example.com/screening", &r.name),
				}, r.makeKey),
		},
	}
}

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
	fmt.Fprintf(r, "%s      private key, which only its owner can read: for -receipt-key of screen and serve\n%[1]s.pub  public key: for receipt verify -key\n", r.out)
	return nil
}

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
	dir, err := os.MkdirTemp("", "walletscreen-receipts-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	in, copied, err := unpack(f, dir)
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	opts, err := r.options(ctx, copied)
	if err != nil {
		return err
	}
	err = eachReceipt(in, func(n int, data []byte) error {
		v, err := receipt.Verify(ctx, data, &opts)
		if err != nil {
			v = receipt.Verdict{Outcome: receipt.CannotTell, Reason: err}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		switch {
		case v.Outcome == receipt.Different:
			r.code = exitMatch
		case v.Outcome != receipt.Same && r.code == exitClean:
			r.code = exitUndecided
		}
		if r.json {
			r.printJSON(r.object(n, &v))
		} else {
			r.print(n, &v)
		}
		return r.unwritten
	})
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	return nil
}

// options returns what receipts are verified with.
func (r *receiptCall) options(ctx context.Context, copied func(context.Context) (store.Store, error)) (opts receipt.Options, err error) {
	opts = receipt.Options{Copy: copied, Table: func(rec *receipt.Receipt, past *screening.Past) (*receipt.Table, error) {
		return r.screenAgain(ctx, rec, past)
	}}
	if r.key != "" {
		if opts.Keys, err = readVerifiers(r.key); err != nil {
			return opts, err
		}
	}
	if r.lists.wantStore() == nil {
		opts.Store, err = r.openStore(ctx, false)
	}
	return opts, err
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

// object returns the verdict on receipt n.
func (r *receiptCall) object(n int, v *receipt.Verdict) jsonVerdict {
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
		o.AsOf, o.ScreenedAt, o.Chain, o.Address, o.Decided, o.Answer = rec.AsOf, rec.Time.Format(time.RFC3339), string(rec.Chain), rec.Address, new(rec.Decided()), rec.Answer
	}
	if v.Unsigned != nil {
		o.Unsigned = v.Unsigned.Error()
		if r.key == "" && o.Unsigned != "not signed" {
			o.Unsigned = "not verified, without -key"
		}
	}
	return o
}

func (r *receiptCall) print(n int, v *receipt.Verdict) {
	o, rec := r.object(n, v), v.Receipt
	if v.Outcome == receipt.Authentic {
		o.Reason += ": give -data or -db, or a bundle"
		if r.in != "" && rec.Table != nil {
			o.Reason = "these are the files; " + o.Reason
		}
	}
	title := fmt.Sprintf("receipt %d", n)
	var notes []string
	switch {
	case rec == nil:
	case rec.Table != nil:
		listed := rec.Table.Rows - rec.Table.Undecided - rec.Table.Levels[score.CleanNoMatch]
		title = fmt.Sprintf("table of %s, %s listed, screened %s", counted(rec.Table.Rows, "row"), grouped(listed), o.ScreenedAt)
	default:
		level := fmt.Sprintf("%s  %d", clean(string(rec.Level)), rec.Score)
		if !rec.Decided() {
			level = "NOT DECIDED"
		}
		level += formatted(o.AsOf, " as of "+time.RFC3339, "")
		title = fmt.Sprintf("%s  %s %.200s, screened %s", level, clean(o.Chain), clean(o.Address), o.ScreenedAt)
		if len(rec.Doubts) > 0 {
			notes = append(notes, "in doubt: "+joinDoubts(rec.Doubts))
		}
		for _, c := range rec.Caveats {
			notes = append(notes, fmt.Sprintf("not to be relied on: %s was %s", c.Source, c.Kind))
		}
	}
	if o.Reason != "" {
		notes = append(notes, o.Reason)
	}
	if v.Signer != "" {
		notes = append(notes, "signature of "+v.Signer+" holds")
	} else if rec != nil && o.Unsigned != o.Reason {
		notes = append(notes, "signature: "+o.Unsigned)
	}
	fmt.Fprintf(r, "%s  %s\n", strings.ToUpper(v.Outcome), title)
	for _, note := range notes {
		fmt.Fprintf(r, "  %s\n", clean(note))
	}
}

func (r *receiptCall) bundle(ctx context.Context, args []string) error {
	if len(args) != 1 || r.out == "" {
		return errors.New("want a FILE of receipts, and -out, the file to write")
	}
	text, err := readAtMost(args[0], int64(maxBundle))
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "walletscreen-receipts-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	dir := filepath.Join(temp, "bundle")
	to, err := store.Open(dir)
	if err != nil {
		return err
	}
	from := []func(context.Context) (store.Store, error){bundledStore(filepath.Join(temp, "bundled"))}
	if r.lists.wantStore() == nil {
		from = append(from, func(ctx context.Context) (store.Store, error) { return r.openStore(ctx, false) })
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
	if err := cmp.Or(z.AddFS(os.DirFS(dir)), z.Close()); err != nil {
		return err
	}
	if err := writeNew(r.out, b.String(), 0o600); err != nil {
		return fmt.Errorf("-out: %w", err)
	}
	fmt.Fprintf(r, "%s  %s, with all lists\n", r.out, counted(int64(n), "receipt"))
	return nil
}

// unpack returns the receipts of a file, and a store with lists in dir: the lists of a bundle, or the bundled ones.
func unpack(f *os.File, dir string) (io.Reader, func(context.Context) (store.Store, error), error) {
	magic := make([]byte, 4)
	if n, _ := f.ReadAt(magic, 0); n < 4 || string(magic) != "PK\x03\x04" {
		return f, bundledStore(dir), nil
	}
	info, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	z, err := zip.NewReader(f, info.Size())
	if err != nil {
		return nil, nil, err
	}
	if _, err := z.Open(receiptsName); err != nil {
		return nil, nil, fmt.Errorf("an archive without %s: want what receipt bundle has written", receiptsName)
	}
	size := uint64(0) // a file that is larger than it says is an error
	for _, file := range z.File {
		size += min(file.UncompressedSize64, maxBundle) + fileBlock
	}
	if size > maxBundle {
		return nil, nil, fmt.Errorf("larger than %d bytes", maxBundle)
	}
	if err := os.CopyFS(dir, z); err != nil {
		return nil, nil, err
	}
	text, err := os.ReadFile(filepath.Join(dir, receiptsName))
	if err != nil {
		return nil, nil, err
	}
	st, err := store.Open(dir)
	return bytes.NewReader(text), func(context.Context) (store.Store, error) { return st, nil }, err
}

// screenAgain screens the table of -in again with the lists of the past, and reads the table of -out.
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
	o := tableOptions{in: r.in}
	if err := o.setSettings(rec.Table.Settings); err != nil {
		return nil, err
	}
	j := &judge{screener: past, chain: o.chain}
	job := newTableJob(&program{stdin: r.stdin, stdout: io.Discard, stderr: io.Discard}, o, j, true)
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
