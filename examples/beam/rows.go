package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/walletscreen/walletscreen/address"
)

// rows are the options for reading a line. Its exported fields travel to the workers.
type rows struct {
	Format                     string // csv, jsonl or text
	AddressColumn, ChainColumn string
	Chain                      string // of all rows; "" means that ChainColumn has it
	Header                     string // the line of CSV with the names of the columns
	AddressAt, ChainAt, Width  int    // in CSV: the columns, and their number
}

var (
	// errSkip means that a line is not a row.
	errSkip = errors.New("no row")
	// errHeader means that a file has other columns than the first one, so that its rows cannot be read.
	errHeader = errors.New("a file has another first line than the first file: screen it in a job of its own")
)

// prepare checks r, and finds the columns in the first line of a file.
func (r *rows) prepare(ctx context.Context, file string) error {
	if r.Chain != "" {
		c, err := address.ParseChain(r.Chain)
		if err != nil {
			return err
		}
		r.Chain = string(c)
	}
	switch r.Format {
	case "jsonl":
		return nil
	case "text":
		if r.Chain == "" {
			return errors.New("-format text needs -chain")
		}
		return nil
	case "csv":
	default:
		return fmt.Errorf("unknown format %q: want csv, jsonl or text", r.Format)
	}
	line, err := firstLine(ctx, file)
	if err != nil {
		return err
	}
	return r.header(line)
}

// header finds the columns in a line of CSV.
func (r *rows) header(line string) error {
	line = strings.TrimPrefix(line, byteOrderMark)
	if strings.Contains(line, "\r") { // else all rows would be in the header
		return errors.New("the first line: a carriage return in it: save the file with line feeds")
	}
	names, err := fields(line)
	if err != nil {
		return fmt.Errorf("the first line: %w", err)
	}
	r.Header, r.Width, r.ChainAt = line, len(names), -1
	if r.AddressAt, err = column("address-column", r.AddressColumn, names); err == nil && r.Chain == "" {
		r.ChainAt, err = column("chain-column", r.ChainColumn, names)
	}
	return err
}

// column returns the index of the column called name, which a flag names. Its errors quote no other column: without
// a header, they could be private keys.
func column(flag, name string, names []string) (int, error) {
	i := slices.Index(names, name)
	switch {
	case i < 0:
		return i, fmt.Errorf("the first line has no column %q, with commas around it: name it with -%s", name, flag)
	case slices.Contains(names[i+1:], name):
		return i, fmt.Errorf("two columns are named %q: name another one with -%s", name, flag)
	}
	return i, nil
}

const byteOrderMark = "\uFEFF"

// read returns the chain and the address of a line, or errSkip if it is empty or
// the header. No error quotes the line, which could hold a secret.
func (r *rows) read(line string) (chain, text string, err error) {
	line = strings.TrimPrefix(strings.TrimSuffix(line, "\r"), byteOrderMark)
	if line == "" || line == r.Header && r.Format == "csv" {
		return "", "", errSkip
	}
	switch r.Format {
	case "csv":
		row, err := fields(line)
		if err != nil {
			return "", "", err
		}
		switch {
		case slices.Contains(row, r.AddressColumn) && (r.ChainAt < 0 || slices.Contains(row, r.ChainColumn)):
			return "", "", errHeader
		case len(row) != r.Width:
			return "", "", fmt.Errorf("the row has %d columns, want %d", len(row), r.Width)
		}
		text = row[r.AddressAt]
		if r.ChainAt >= 0 {
			chain = row[r.ChainAt]
		}
	case "jsonl":
		row, err := object(line)
		if err != nil {
			return "", "", err
		}
		if json.Unmarshal(row[r.AddressColumn], &text) != nil {
			return "", "", fmt.Errorf("the member %q is not a string", r.AddressColumn)
		}
		if r.Chain == "" && json.Unmarshal(row[r.ChainColumn], &chain) != nil {
			return "", "", fmt.Errorf("the member %q is not a string", r.ChainColumn)
		}
	default:
		text = line
	}
	if r.Chain != "" {
		chain = r.Chain
	}
	return chain, text, nil
}

// object returns the members of a line of JSON.
func object(line string) (map[string]json.RawMessage, error) {
	dec := json.NewDecoder(strings.NewReader(line))
	if brace, _ := dec.Token(); brace != json.Delim('{') || !json.Valid([]byte(line)) {
		return nil, errors.New("the line is not a JSON object")
	}
	all := make(map[string]json.RawMessage)
	for n := 1; dec.More(); n++ {
		name, _ := dec.Token()
		var value json.RawMessage
		dec.Decode(&value)
		if all[name.(string)] = value; len(all) < n {
			return nil, errors.New("a member of the JSON object is given twice")
		}
	}
	return all, nil
}

// fields returns the fields of a line of CSV. A field with a line break in it is
// an error: Beam splits files into lines before anything else.
func fields(line string) ([]string, error) {
	if !strings.Contains(line, `"`) {
		return strings.Split(line, ","), nil
	}
	row, err := csv.NewReader(strings.NewReader(line)).Read()
	if err != nil {
		return nil, errors.New("the row is not CSV: a quoted field does not end in its line")
	}
	return row, nil
}
