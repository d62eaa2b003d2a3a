package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

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

// ownSources returns the sources of -list. Their files are checked by setExceptions.
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

// setExceptions sets the exceptions of -exceptions, and what own lists allow.
func setExceptions(ctx context.Context, s *screening.Screener, exceptions []screening.Exception) error {
	err := s.SetExceptions(ctx, exceptions)
	if errors.Is(err, screening.ErrDuplicateException) {
		return fmt.Errorf("-exceptions: %w", err)
	}
	return err
}
