package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	signed "golang.org/x/mod/sumdb/note"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/screening/receipt"
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

// addTable writes the receipt of a table that was read to its end, and returns it. rec is what it says without the table.
func (f *receiptFile) addTable(rec *receipt.Receipt, job *tableJob, j *judge) ([]byte, error) {
	text, err := job.receipt(rec, j, f.signers)
	if err == nil {
		_, err = f.file.Write(text)
	}
	return text, err
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

// readKey returns the text of a key file.
func readKey(name string) (string, error) {
	text, err := readAtMost(name, maxKeyFile)
	return strings.TrimSpace(string(text)), err
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

// writeNew writes a text to a file that does not exist.
func writeNew(name, text string, mode os.FileMode) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Sync(), f.Close())
}
