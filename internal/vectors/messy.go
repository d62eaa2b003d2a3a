package vectors

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/walletscreen/walletscreen/address"
)

// A MessyRow is a row of a table as people write one.
type MessyRow struct {
	Chain, Cell string // as a reader of CSV finds them
	Listed      bool   // the cell is an address of MessyListed
	Wrong       bool   // the cell has no address
}

// messyAccounts are the accounts of a messy table, with names of their chains as people write them.
var messyAccounts = []struct {
	chain  address.Chain
	text   string
	names  []string
	listed bool
}{
	{"ethereum", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96", []string{"ETH", "Ethereum", "ERC-20", "ERC20", "Ethereum (ETH)", "Ethereum Mainnet", "USDT", "", "erc-20 (USDT)"}, true},
	{"ethereum", "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf", []string{"ETH", "Polygon", "BEP20", "BSC", "MATIC", "Arbitrum One", ""}, false},
	{"bitcoin", "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa", []string{"BTC", "Bitcoin", "Bitcoin (BTC)", "XBT", ""}, true},
	{"bitcoin", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", []string{"BTC", "Bitcoin (BTC)", ""}, false},
	{"tron", "TJRabPrwbZy45sbavfcjinPJC18kjpRTv8", []string{"TRX", "TRC20", "TRC-20", "Tron", "USDT", ""}, true},
	{"xrp", "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh", []string{"XRP", "Ripple", "XRP Ledger", ""}, false},
	{"solana", "7S3P4HxJpyyigGzodYwHtCxZyUQe9JiBMHyRWXArAaKv", []string{"SOL", "Solana", "SPL", ""}, false},
}

// MessyListed returns the accounts that a list must have for [Messy].
func MessyListed() (all []address.Address) {
	for _, a := range messyAccounts {
		if a.listed {
			all = append(all, address.MustParse(a.chain, a.text))
		}
	}
	return all
}

// Messy returns an export of a spreadsheet program with n rows, as text in UTF-8, and its rows. It
// has everything that people write into one: a title, a memo of two lines, names, tickers and
// token standards in the column of the chain, cells that a formula protects, and cells without
// an address. The columns are named Wallet-Adresse and Netzwerk. It is the same in each call.
func Messy(n int) (file string, all []MessyRow) {
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	var table strings.Builder
	table.WriteString("\ufeffAuszug vom 01.03.2026;;;;\r\n;;;;\r\nKunde;Wallet-Adresse;Netzwerk;Memo;Betrag\r\n")
	for i := range n {
		a := messyAccounts[random.IntN(len(messyAccounts))]
		r := MessyRow{pick(a.names...), a.text, a.listed, false}
		if random.IntN(9) == 0 {
			r.Chain = pick("Kraken", "n/a", "-", "rot", "12345", "Bitcoin", "ETH", "tron", "unbekannt")
		}
		written := ""
		switch random.IntN(14) {
		case 0:
			r.Cell = "  " + r.Cell + "\u00a0"
		case 1:
			r.Cell = "\u200b" + r.Cell
		case 2:
			written = `"` + r.Cell + `"`
		case 3:
			r.Cell = `="` + r.Cell + `"`
			written = `"` + strings.ReplaceAll(r.Cell, `"`, `""`) + `"`
		case 4:
			r.Cell = "'" + r.Cell
		case 5:
			r.Cell = string(a.chain) + ":" + r.Cell
		case 6:
			r.Cell = r.Cell + " (" + strings.ToUpper(a.names[0]) + ")"
		case 7:
			r = MessyRow{r.Chain, pick("", "  ", "=A7", "1,23E+47", "n/a", "#REF!", "siehe Mail"), false, true}
		}
		if written == "" {
			written = r.Cell
		}
		fmt.Fprintf(&table, "%d;%s;%s;\"Memo; %d\r\nzwei \"\"Zeilen\"\"\";1.234,%02d\r\n", i, written, r.Chain, random.IntN(1e6), i%100)
		all = append(all, r)
	}
	return table.String(), all
}
