package main

import (
	"errors"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/examples/walletscreen/internal/rows"
	"github.com/walletscreen/walletscreen/screening"
)

// A cause is why a text is undecided: its name for programs, what it is in words, and what to do.
type cause struct{ name, title, advice string }

// parseCauses are the causes of a ParseError, the most special ones first.
var parseCauses = []struct {
	err error
	cause
}{
	{address.ErrSecret, cause{"secret", "A private key or a seed phrase", "Delete it from the file and from each copy, tell its owner that it was sent, and ask for the address."}},
	{address.ErrSeveral, cause{"several_accounts", "Several accounts in one cell", "Give each account a row of its own."}},
	{address.ErrOtherChain, cause{"wrong_chain", "An address of another chain than the row names", "Ask which of the two is right, and correct it."}},
	{address.ErrNetwork, cause{"wrong_network", "An address of a test network", "Ask for the address on the main network."}},
	{address.ErrName, cause{"name_not_address", "A name, not an address", "Look the name up in a wallet, and screen the address that it shows."}},
	{address.ErrPaymentRequest, cause{"payment_request", "An invoice, which does not show who is paid", "Ask for an address."}},
	{address.ErrInterop, cause{"interoperable_address", "An interoperable address that cannot be read", "Ask for the address and the chain, each in its own column."}},
	{address.ErrChecksum, cause{"bad_checksum", "A character is wrong", "Copy the address again from its source: its checksum does not verify."}},
	{address.ErrLength, cause{"bad_length", "Characters are missing, or too many", "Copy the whole address again from its source."}},
	{address.ErrCharset, cause{"bad_charset", "A character that no such address has", "Copy the address again from its source."}},
	{address.ErrChain, cause{"unsupported_chain", "A chain that is not known", "Correct the name of the chain, or leave it empty to detect it."}},
	{address.ErrSyntax, cause{"bad_format", "Not an address", "Look whether the right column is read, and correct the cell."}},
}

// doubtCauses are what doubts mean for a row. The other doubts come with an error, which says more.
var doubtCauses = map[address.Doubt]cause{
	address.DoubtCapitals:     {"capitals", "Capital letters that do not verify, so that a character may be wrong", "Copy the address again from its source."},
	address.DoubtShort:        {"short", "Leading digits are missing", "Export the column again as text."},
	address.DoubtAmbiguous:    {"ambiguous", "Several chains fit, and the answer differs", "Write the chain into a column named chain."},
	address.DoubtUnscreenable: {"unscreenable", "A payee whom no list can name", "Ask for an address."},
}

// causeOf returns the cause of an error of address, or one without a name.
func causeOf(err error) cause {
	for _, r := range parseCauses {
		if errors.Is(err, r.err) {
			return r.cause
		}
	}
	return cause{}
}

// cause returns why v is undecided. damaged is why the row was not read with confidence, or nil.
func (v *verdict) cause(damaged error) cause {
	switch {
	case errors.Is(damaged, rows.ErrBlank) || errors.Is(v.err, errNoAddress):
		return cause{"no_address", "No address", "Nothing to do if the row is meant to have none."}
	case damaged != nil:
		return cause{"damaged_row", "A row that is not well formed", "Look for a stray quote or delimiter in the row."}
	case errors.Is(v.err, errSpreadsheet):
		return cause{"spreadsheet", "A formula or a rounded number in place of the address", "Export the column again as text."}
	case errors.Is(v.err, screening.ErrNotLoaded) || errors.Is(v.err, screening.ErrStale):
		return cause{"lists", "A list was missing or too old", "Refresh the lists, and screen the file again."}
	case errors.As(v.err, new(*address.ParseError)):
		return causeOf(v.err)
	case v.err == nil && len(v.result.Doubts) > 0:
		return doubtCauses[v.result.Doubts[0]]
	}
	return cause{"other", "Another error", "Read the column error of the output."}
}
