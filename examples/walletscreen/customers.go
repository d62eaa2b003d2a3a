package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/examples/walletscreen/internal/rows"
	"github.com/walletscreen/walletscreen/sources"
)

// order names whose messages are delivered in turn: the address without a name, as the number of a row changes.
func (c customer) order() string {
	if c.unnamed {
		return c.address.String()
	}
	return c.id
}

// A customer is an address of a row of the table of customers.
type customer struct {
	id      string
	unnamed bool // the table has no id, and id is the number of the row
	address address.Address
}

// readCustomers calls each for each address of a table of customers. bad rows have no address that can be watched, or are not
// well formed.
func readCustomers(file string, each func(customer) error) (bad int, columns rows.Columns, err error) {
	f, err := os.Open(file)
	if err != nil {
		return 0, columns, err
	}
	defer f.Close()
	t, err := rows.NewReader(f, rows.Options{Plausible: plausible, IsName: isName, IsChain: isChain})
	if err != nil { // there is no flag for the column
		text := strings.NewReplacer("name it with -address-column", "call it that", "name one with -address-column", "call one of them address", ", or name it with -sheet", "").Replace(err.Error())
		return 0, columns, fmt.Errorf("%s: %s", file, text)
	}
	for n := 1; ; n++ {
		row, err := t.Next()
		if err == io.EOF {
			return bad, t.Columns(), nil
		} else if err != nil {
			return bad, columns, fmt.Errorf("%s: %w", file, err)
		}
		c := customer{id: row.Cell(t.Columns().ID)}
		if c.id == "" {
			c.id, c.unnamed = fmt.Sprintf("row %d", n), true
		}
		found, err := meantBy(row.Chain, sources.TrimListed(row.Address))
		if err != nil || row.Err != nil { // another address may be hidden in the row
			bad++
		}
		if err != nil {
			continue
		}
		for _, c.address = range found {
			if err := each(c); err != nil {
				return bad, columns, err
			}
		}
	}
}

// meantBy returns the addresses that a text means, one for each chain that it may be of.
func meantBy(chain, text string) ([]address.Address, error) {
	if strings.TrimSpace(chain) == "" {
		if a, err := address.Normalize("ethereum", text); err == nil {
			return []address.Address{a}, nil
		}
	}
	rd := address.Interpret(chain, text)
	if rd.Err == nil && slices.Contains(rd.Doubts, address.DoubtAmbiguous) {
		return nil, errors.New(address.DoubtAmbiguous.Explain())
	}
	return rd.Addresses, rd.Err
}
