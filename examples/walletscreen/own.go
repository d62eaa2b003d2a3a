package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/badlist"
	"github.com/walletscreen/walletscreen/sources/own"
)

// maxOwn bounds the file of an own list, or of exceptions, in bytes.
const maxOwn = 64 << 20

// An ownList is a value of -list: ID=FILE or ID=URL, and perhaps ,kind=KIND.
type ownList struct {
	id, from string
	kind     score.Kind
}

func (l ownList) isURL() bool { return strings.Contains(l.from, "://") }

// isTable reports whether the list is a table of addresses to block and to allow.
func (l ownList) isTable() bool {
	name := strings.TrimSuffix(l.from, ".gz")
	return !l.isURL() && l.kind == "" && !strings.HasSuffix(name, ".yaml") && !strings.HasSuffix(name, ".yml")
}

// ownLists returns the values of -list, in order.
func (o *listOptions) ownLists(taken []string) (all []ownList, err error) {
	for _, value := range o.own {
		id, from, ok := strings.Cut(value, "=")
		from, kind, chosen := strings.Cut(from, ",kind=")
		l := ownList{id, from, score.Kind(kind)}
		switch {
		case !ok || from == "":
			return nil, fmt.Errorf("-list %q: want ID=FILE, such as OWN=/etc/walletscreen/own.csv", value)
		case slices.Contains(taken, id) || slices.ContainsFunc(all, func(l ownList) bool { return l.id == id }):
			return nil, fmt.Errorf("-list %s: there is a list of that id already", id)
		case chosen && (!slices.Contains(score.Latest().Kinds(), l.kind) || !l.info().MayEmit(l.kind)):
			return nil, fmt.Errorf("-list %s: kind %.40q: want one of %s", id, kind, l.kinds())
		}
		if l.isURL() {
			if err := o.checkURL("-list "+id, from); err != nil {
				return nil, err
			}
		}
		all = append(all, l)
	}
	return all, nil
}

// info describes the list. One at a URL is a list of others: it is refused if it shrinks.
func (l ownList) info() sources.Info {
	i := sources.Info{ID: l.id, Name: "the operator's list " + l.id, Jurisdiction: sources.Operator, Licence: "the operator's own"}
	if l.isURL() {
		i.Name, i.Jurisdiction, i.Licence = "the list "+l.id+" that the operator fetches", sources.Community, "to be checked by the operator"
	}
	return i
}

// kinds returns the kinds that the list may have.
func (l ownList) kinds() string {
	var all []string
	for _, k := range score.Latest().Kinds() {
		if l.info().MayEmit(k) {
			all = append(all, string(k))
		}
	}
	return strings.Join(all, ", ")
}

// source returns the source of the list. A URL is fetched only if live is set.
func (l ownList) source(live bool) sources.Source {
	opts := &badlist.Options{URL: l.from, Info: l.info(), Kind: l.kind, AllowHTTP: isHTTP(l.from)}
	switch {
	case l.isTable():
		return own.File(l.id, l.from)
	case !l.isURL():
		return sources.File(l.info(), l.from, opts.Parse)
	case !live:
		return stored{l.info(), errOffline}
	}
	return badlist.New(opts)
}
