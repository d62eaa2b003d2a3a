package main

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/examples/walletscreen/internal/rows"
	"github.com/walletscreen/walletscreen/sources"
)

// A customer is an address of a row of the table of customers.
type customer struct {
	id      string
	unnamed bool // the table has no id, and id is the number of the row
	address address.Address
}

// readCustomers yields each address of a table of customers. It adds to bad how many rows have
// no address that can be watched, or are not well formed, and sets columns. Nothing follows an error.
func readCustomers(file string, bad *int, columns *rows.Columns) iter.Seq2[customer, error] {
	return func(yield func(customer, error) bool) {
		f, err := os.Open(file)
		if err != nil {
			yield(customer{}, err)
			return
		}
		defer f.Close()
		t, err := rows.NewReader(f, rows.Options{Plausible: plausible, IsName: isName, IsChain: isChain})
		if err != nil { // there is no flag for the column
			text := strings.NewReplacer("name it with -address-column", "call it that", "name one with -address-column", "call one of them address").Replace(err.Error())
			yield(customer{}, fmt.Errorf("%s: %s", file, text))
			return
		}
		*columns = t.Columns()
		for n := 1; ; n++ {
			row, err := t.Next()
			if err != nil {
				if err != io.EOF {
					yield(customer{}, fmt.Errorf("%s: %w", file, err))
				}
				return
			}
			c := customer{id: row.Cell(columns.ID)}
			if c.id == "" {
				c.id, c.unnamed = fmt.Sprintf("row %d", n), true
			}
			found, err := meantBy(row.Chain, sources.TrimListed(row.Address))
			if err != nil || row.Err != nil { // another address may be hidden in the row
				*bad++
			}
			for _, c.address = range found {
				if err == nil && !yield(c, nil) {
					return
				}
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
