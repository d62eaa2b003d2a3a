package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/urfave/cli/v3"
	signed "golang.org/x/mod/sumdb/note"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/screening/receipt"
)

// The exit codes of receipt verify.
const (
	exitSame       = 0
	exitDifferent  = 1
	exitCannotTell = 2
)

// maxKeyFile bounds a key file, in bytes.
const maxKeyFile = 4096

// A receiptFile is the file of screen -receipt.
type receiptFile struct {
	file    *os.File
	signers []signed.Signer // none or one
	missing int             // verdicts without a receipt
}

// openReceipts opens a file of receipts, which are appended to it. They are signed with
// the key in keyFile if that is not empty.
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

// openSigners returns the signer with the key in the file of -receipt-key, and none if
// the file is "".
func openSigners(file string) ([]signed.Signer, error) {
	if file == "" {
		return nil, nil
	}
	text, err := readKey(file)
	if err != nil {
		return nil, fmt.Errorf("-receipt-key: %w", err)
	}
	signer, err := signed.NewSigner(text)
	if err != nil { // the error could quote the key
		return nil, fmt.Errorf("-receipt-key %s: want the private key that walletscreen receipt key has made", file)
	}
	if err := checkSecret(file); err != nil {
		return nil, fmt.Errorf("-receipt-key: %w", err)
	}
	return []signed.Signer{signer}, nil
}

// add writes the receipt of a verdict, if there is one: there is none without a level,
// none of an account that is listed only elsewhere, and none about what may be a private key.
func (f *receiptFile) add(v *verdict) error {
	if v.err != nil || !v.hasLevel() {
		f.missing++
		return nil
	}
	chain, text := cmp.Or(v.result.Address.Chain(), v.reading.Chain, "bitcoin"), strings.TrimSpace(v.input)
	if a := v.result.Address; a.IsValid() {
		if b, err := address.Normalize(chain, text); err != nil || b.Normalized() != a.Normalized() {
			text = a.Normalized()
		}
	}
	rec, err := receipt.New(chain, text, v.result, time.Now())
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

// close flushes the file.
func (f *receiptFile) close() error { return errors.Join(f.file.Sync(), f.file.Close()) }

// readKey returns the text of a key file.
func readKey(name string) (string, error) {
	text, err := readAtMost(name, maxKeyFile)
	return strings.TrimSpace(string(text)), err
}

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
			subcommand("receipt", "verify", "[flags] FILE", "verifies receipts with the lists of their time",
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
			subcommand("receipt", "bundle", "-out FILE [flags] FILE", "writes receipts and their lists to one file",
				"receipt verify takes it in place of the receipts, and needs nothing beside it but the public key.\n"+
					"The lists, your own ones too, are whole, and the exceptions have their reasons.",
				[]cli.Flag{
					p.text("data", "", "`directory` with the lists of that time (default: the lists are the bundled ones)", &r.lists.data),
					p.dbFlag(&r.lists),
					p.text("out", "", "`file` to write; it must not exist", &r.out),
				}, r.bundle),
			subcommand("receipt", "key", "-out FILE [flags]", "creates a key pair to sign receipts",
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

// writeNew writes a text to a file that does not exist.
func writeNew(name, text string, mode os.FileMode) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Sync(), f.Close())
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

// readVerifier returns the public key in a file.
func readVerifier(name string) (signed.Verifier, error) {
	text, err := readKey(name)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(text, "PRIVATE+KEY+") {
		return nil, fmt.Errorf("%s is the private key; want the public one, which receipt key writes to a file ending in .pub", name)
	}
	v, err := signed.NewVerifier(text)
	if err != nil {
		return nil, fmt.Errorf("%s: want the public key that walletscreen receipt key has made", name)
	}
	return v, nil
}

// A jsonVerdict is the verdict on a receipt, for programs.
type jsonVerdict struct {
	Receipt    int    `json:"receipt"` // in the file, from 1
	Outcome    string `json:"outcome"`
	Reason     string `json:"reason,omitempty"`
	SignedBy   string `json:"signed_by,omitempty"`
	Unsigned   string `json:"unsigned,omitempty"` // why signed_by is missing
	ScreenedAt string `json:"screened_at,omitempty"`
	Chain      string `json:"chain,omitempty"`
	Address    string `json:"address,omitempty"`
	Decided    *bool  `json:"decided,omitempty"`
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
		o.ScreenedAt, o.Chain, o.Address, o.Decided, o.Answer = rec.Time.Format(time.RFC3339), string(rec.Chain), rec.Address, &decided, rec.Answer
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
		fmt.Fprintf(r.stdout, "%s  %s  %s %.200s, screened %s\n", outcome, level, clean(o.Chain), clean(o.Address), o.ScreenedAt)
		if len(rec.Doubts) > 0 {
			fmt.Fprintf(r.stdout, "  in doubt: %s\n", clean(joinDoubts(rec.Doubts)))
		}
		for _, c := range rec.Caveats {
			fmt.Fprintf(r.stdout, "  not to be relied on: %s was %s\n", clean(c.Source), clean(string(c.Kind)))
		}
	case rec != nil:
		fmt.Fprintf(r.stdout, "%s  table of %s, %s listed, screened %s\n", outcome, count(rec.Table.Rows, "row"), grouped(listedRows(rec.Table)), o.ScreenedAt)
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
