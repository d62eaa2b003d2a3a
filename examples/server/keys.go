package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/walletscreen/walletscreen/httpapi"
)

// A keyring is the keys that the server lets in.
type keyring struct {
	authorizer httpapi.Authorizer
	note       string // what to tell about the key
	show       string // what to write for the key in the example
}

// keyFile holds the hash of the key that the server has made, in the directory
// of -data.
const keyFile = "api-key.sha256"

// openKeys returns the keys that c gives. If it gives none, that is the key that
// was made when the directory of -data was first used, or a new one.
func openKeys(c config) (*keyring, error) {
	if len(c.keys) > 0 {
		hashes := make(map[string]string)
		for i, k := range c.keys {
			hashes[fmt.Sprintf("given-%d", i+1)] = httpapi.HashKey(k)
		}
		return newKeyring(hashes, "API key: the one that was given.", c.keys[0])
	}
	if c.data == "" {
		key := httpapi.NewKey()
		note := "API key: " + key + "\n  It is shown only now, and good until the server stops. With -data DIR it lasts."
		return newKeyring(map[string]string{"made": httpapi.HashKey(key)}, note, key)
	}
	if err := os.MkdirAll(c.data, 0o700); err != nil {
		return nil, err
	}
	name := filepath.Join(c.data, keyFile)
	hash, err := os.ReadFile(name)
	if err == nil {
		note := "API key: the one that was shown when it was made. Only its hash is stored; to have a new one, delete\n  " + name
		return newKeyring(map[string]string{"made": strings.TrimSpace(string(hash))}, note, "<API_KEY>")
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	key := httpapi.NewKey()
	if err := writeKeyFile(name, httpapi.HashKey(key)); err != nil {
		return nil, err
	}
	note := "API key: " + key + "\n  It is shown only now; only its hash is stored, in " + name
	return newKeyring(map[string]string{"made": httpapi.HashKey(key)}, note, key)
}

func newKeyring(hashes map[string]string, note, show string) (*keyring, error) {
	keys, err := httpapi.NewKeys(hashes)
	if err != nil {
		return nil, err
	}
	return &keyring{keys, note, show}, nil
}

// writeKeyFile writes the hash so that a stop at any moment leaves a whole file
// or none.
func writeKeyFile(name, hash string) error {
	f, err := os.CreateTemp(filepath.Dir(name), keyFile+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // gone already, if all went well
	_, err = f.WriteString(hash + "\n")
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), name)
}
