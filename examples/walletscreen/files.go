package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	signed "golang.org/x/mod/sumdb/note"
)

// readAtMost returns the content of a file, or an error if it is longer than limit bytes.
func readAtMost(name string, limit int64) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(text)) > limit {
		err = fmt.Errorf("%s: larger than %d bytes", name, limit)
	}
	return text, err
}

// readSecret is [readAtMost] of a file with a secret, which not all users may read.
func readSecret(name string, limit int64) ([]byte, error) {
	if err := checkSecret(name); err != nil {
		return nil, err
	}
	return readAtMost(name, limit)
}

// checkSecret returns an error if all users may read a file.
func checkSecret(name string) error {
	info, err := os.Stat(name)
	if err != nil {
		return nil // to open it says why
	}
	if mode := info.Mode().Perm(); mode&0o004 != 0 && runtime.GOOS != "windows" {
		return fmt.Errorf("%s can be read by all users of the machine (its mode is %04o): chmod 600 it", name, mode)
	}
	return nil
}

// absolute returns the absolute path of a file or, if it is not known, its name.
func absolute(name string) string {
	if path, err := filepath.Abs(name); err == nil {
		return path
	}
	return name
}

// maxKeyFile bounds a key file, in bytes.
const maxKeyFile = 4096

// openSigners returns the signer with the key in the file of -receipt-key, and none for "".
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

func readKey(name string) (string, error) {
	text, err := readAtMost(name, maxKeyFile)
	return strings.TrimSpace(string(text)), err
}

// readVerifiers returns the public keys in the files of -key.
func readVerifiers(names ...string) (all []signed.Verifier, err error) {
	for _, name := range names {
		text, err := readKey(name)
		if err != nil {
			return nil, fmt.Errorf("-key: %w", err)
		}
		if strings.HasPrefix(text, "PRIVATE+KEY+") {
			return nil, fmt.Errorf("-key: %s is the private key; want the public one, which receipt key writes to a file ending in .pub", name)
		}
		v, err := signed.NewVerifier(text)
		if err != nil {
			return nil, fmt.Errorf("-key: %s: want the public key that walletscreen receipt key has made", name)
		}
		all = append(all, v)
	}
	return all, nil
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

func readAuditKey(name string) ([]byte, error) {
	text, err := readSecret(name, maxKeyFile)
	if err != nil {
		return nil, fmt.Errorf("-audit-key: %w", err)
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(text)))
	if err == nil && len(key) < 32 {
		return nil, fmt.Errorf("-audit-key %s: a key of %d bytes, want at least 32, such as openssl rand -hex 32 prints", name, len(key))
	}
	if err != nil {
		return nil, fmt.Errorf("-audit-key %s: want a key in hex, such as openssl rand -hex 32 prints", name)
	}
	return key, nil
}
