package main

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// files are the cases, the lists that some of them load, and the templates.
//
//go:embed cases templates
var files embed.FS

// A Case is one question, and the answer that is due.
type Case struct {
	ID     string   `json:"id"`
	Theme  string   `json:"theme"`
	Lists  *Lists   `json:"lists,omitempty"`  // nil: the lists that the system has
	Listed *Listed  `json:"listed,omitempty"` // nil: the case is about no listed account
	Asked  Asked    `json:"asked"`
	Expect string   `json:"expect"`           // listed, not_listed or error
	Accept []string `json:"accept,omitempty"` // further answers that are right, too
	Why    string   `json:"why"`
	// Authority is the document that decides: a standard or a list.
	Authority string   `json:"authority"`
	Flags     []string `json:"flags"`
	Severity  string   `json:"severity"`
}

// Lists are what a system has to load, one after the other, before it is asked.
type Lists struct {
	Documents []string `json:"documents"`              // names of files of cases/lists, as a publisher serves them
	MaxAge    int      `json:"max_age_days,omitempty"` // how long ago the list may have been published
}

// Listed is an entry of a list, as printed.
type Listed struct {
	List   string `json:"list"`
	Ticker string `json:"ticker"`
	Text   string `json:"text"`
	Ref    string `json:"ref"`
	Entity string `json:"entity"`
}

// Asked is the question.
type Asked struct {
	Chain  string `json:"chain"` // the full name of a chain
	Ticker string `json:"ticker"`
	CAIP2  string `json:"caip2"` // "" if none is registered
	Text   string `json:"text"`
}

// The answers that a system can give.
const (
	isListed    = "listed"
	isNotListed = "not_listed"
	isError     = "error"
	isNotTried  = "not_tried" // never counted
)

// The severities: the worst that a wrong answer to a case does.
const (
	sanctioned = "sanctioned_clean" // a sanctioned account comes out clean
	related    = "related_clean"    // an account of a listed account's key comes out clean
	unread     = "unread_clean"     // a text that is not the account's address, or a broken list, comes out clean
	falseHit   = "false_hit"        // somebody else comes out as listed
)

var (
	themes = []string{"checksum", "encoding", "evm", "key", "ticker", "uri", "payees", "mistyped", "chain", "testnet", "secret", "name", "list", "freshness", "delisted"}
	expect = []string{isListed, isNotListed, isError}
	grades = []string{sanctioned, related, unread, falseHit}
	flags  = []string{"as_printed", "same_account", "same_key", "evm_family", "letter_case", "format", "typo", "look_alike", "uri", "several", "wrong_chain", "test_network", "secret", "name", "list_state", "delisted", "control"}
)

// check returns the faults in the members of c.
func (c *Case) check() error {
	var all []error
	one := func(member, value string, allowed []string) {
		if !slices.Contains(allowed, value) {
			all = append(all, fmt.Errorf("%s is %q, want one of %q", member, value, allowed))
		}
	}
	one("theme", c.Theme, themes)
	one("expect", c.Expect, expect)
	one("severity", c.Severity, grades)
	for _, f := range c.Flags {
		one("a flag", f, flags)
	}
	for _, a := range c.Accept {
		one("an accepted answer", a, expect)
	}
	return errors.Join(append(all, c.missing(), c.inconsistent())...)
}

// missing returns an error if c lacks something.
func (c *Case) missing() error {
	switch {
	case c.ID == "" || !strings.HasPrefix(c.ID, c.Theme+"-"):
		return fmt.Errorf("id is %q, want the theme, a hyphen and more", c.ID)
	case c.Asked.Chain == "" || c.Asked.Text == "":
		return errors.New("asked has no chain or no text")
	case len(c.Flags) == 0:
		return errors.New("there are no flags")
	case !strings.HasSuffix(c.Why, ".") || c.Authority == "":
		return fmt.Errorf("why is %q and authority %q, want a sentence and a document", c.Why, c.Authority)
	case c.Listed != nil && (c.Listed.List == "" || c.Listed.Text == "" || c.Listed.Entity == ""):
		return errors.New("listed has no list, text or entity")
	}
	return nil
}

// inconsistent returns an error if the answers, the listed account and the severity of c do not
// fit.
func (c *Case) inconsistent() error {
	severities := map[string][]string{isListed: {sanctioned, related}, isNotListed: {falseHit}, isError: {unread}}[c.Expect]
	switch {
	case slices.Contains(c.Accept, c.Expect):
		return errors.New("accept repeats expect")
	case c.Expect == isListed && c.Listed == nil:
		return errors.New("expect is listed, and listed is missing")
	case c.Expect == isListed && slices.Contains(c.Accept, isNotListed):
		return errors.New("a listed account may not come out as not listed")
	case !slices.Contains(severities, c.Severity):
		return fmt.Errorf("severity %s does not belong to %s", c.Severity, c.Expect)
	}
	return nil
}

// readCases returns the cases in the files of dir, one file for each theme, in the order
// of the themes.
func readCases(dir fs.FS) ([]Case, error) {
	var all []Case
	seen := make(map[string]bool)
	for _, theme := range themes {
		name := theme + ".json"
		f, err := dir.Open(name)
		if err != nil {
			return nil, err
		}
		var file struct {
			Schema  string `json:"$schema"`
			License string `json:"license"`
			Cases   []Case `json:"cases"`
		}
		d := json.NewDecoder(f)
		d.DisallowUnknownFields()
		err = errors.Join(d.Decode(&file), f.Close())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for _, c := range file.Cases {
			if err := c.check(); err != nil {
				return nil, fmt.Errorf("%s: case %s: %w", name, c.ID, err)
			}
			if c.Theme != theme {
				return nil, fmt.Errorf("%s: case %s has the theme %s", name, c.ID, c.Theme)
			}
			if seen[c.ID] {
				return nil, fmt.Errorf("%s: there are two cases %s", name, c.ID)
			}
			seen[c.ID] = true
		}
		all = append(all, file.Cases...)
	}
	return all, nil
}
