package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/own"
)

// maxOwn bounds the file of an own list, in bytes.
const maxOwn = 64 << 20

// ownFiles returns the files of -list by the id of their list, in order.
func (o *listOptions) ownFiles(taken []string) (ids []string, files map[string]string, err error) {
	files = make(map[string]string)
	for _, l := range o.own {
		id, file, ok := strings.Cut(l, "=")
		switch {
		case !ok || file == "":
			return nil, nil, fmt.Errorf("-list %q: want ID=FILE, such as OWN=/etc/walletscreen/own.csv", l)
		case slices.Contains(taken, id) || files[id] != "":
			return nil, nil, fmt.Errorf("-list %s: there is a list of that id already", id)
		}
		ids, files[id] = append(ids, id), file
	}
	return ids, files, nil
}

// ownSources returns the sources of -list. Their files are checked by setAllowed.
func (o *listOptions) ownSources(taken []string) ([]sources.Source, error) {
	ids, files, err := o.ownFiles(taken)
	if err != nil {
		return nil, err
	}
	var all []sources.Source
	for _, id := range ids {
		all = append(all, own.File(id, files[id]))
	}
	return all, nil
}

// readAllowed returns the exceptions that an own list asks for: its addresses to allow.
func readAllowed(id, file string) ([]screening.Exception, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := own.Allowed(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var all []screening.Exception
	for _, r := range rows {
		e := screening.Exception{Address: r.Address, Reason: strings.TrimSpace(r.Reason), Author: strings.TrimSpace(r.Author), Expires: r.Expires}
		if e.Reason == "" {
			e.Reason = "allowed by the own list " + id
		}
		if e.Author == "" {
			e.Author = id
		}
		all = append(all, e)
	}
	return all, nil
}

// setAllowed sets the exceptions of all own lists, and others.
func (o *listOptions) setAllowed(ctx context.Context, s *screening.Screener, others []screening.Exception) error {
	ids, files, err := o.ownFiles(nil)
	if err != nil {
		return err
	}
	all := slices.Clone(others)
	type scope struct {
		account     address.Address
		source, ref string
	}
	seen := make(map[scope]bool)
	for _, e := range others {
		seen[scope{e.Address.Canonical(), e.Source, e.Ref}] = true
	}
	for _, id := range ids {
		allowed, err := readAllowed(id, files[id])
		if err != nil {
			return fmt.Errorf("-list %s: %w", id, err)
		}
		for _, e := range allowed {
			if at := (scope{account: e.Address.Canonical()}); !seen[at] {
				seen[at] = true
				all = append(all, e)
			}
		}
	}
	err = s.SetExceptions(ctx, all)
	if errors.Is(err, screening.ErrDuplicateException) {
		return fmt.Errorf("-exceptions: %w", err)
	}
	return err
}
