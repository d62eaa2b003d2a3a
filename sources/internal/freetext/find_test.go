package freetext_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/freetext"
)

// Addresses of the EU and UK lists of September 2026. The last four are on no
// list: the key of BIP-173, and vectors of package address.
const (
	evm    = "0x002471b8A185f9980708d0eAEC5B289714F56f8d"
	evm2   = "0x3051Ca7cB7f6C599fA2f27385AD75010cf0f2bbF"
	segwit = "bc1qwtz3zv95x2flu4w26kgfepf529z50r2sqc5zml"
	script = "3My1ffQr5qQzmq4aBFgRqwRYqfB5zPAt8t"
	tron   = "TA1hsikRfsgGiW9nEBpT4tEXEySTNYLr2d"
	tron2  = "TJqUC56SDZ373JYRurzXtMcor2HQvN9BaU"
	tron3  = "TVa1p4aTVoHuF4EDGthn57FbKNbu4DRJkQ"
	btc    = "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH"
	dogeXV = "DFFJhnQNZf8rf67tYnesPu7MuGUpYtzv7Z"

	// OFAC's first Solana address, the mint of wrapped SOL, and an Aptos
	// account.
	solana  = "42RLPACwZPx3vYYmxSueqsogfynBDqXK298EDsNoyoHi"
	solana2 = "So11111111111111111111111111111111111111112"
	move    = "0x1d8727df513fa2a8785d0834e40b34223daff1affc079574082baadb74b66ee4"
)

func TestFind(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string // asset, chain, address as printed
	}{
		{"nothing", "", nil},
		{"no wallet", "Place of registration: Moscow, BTC: none", nil},
		{"bare", "wallet addresses: \n" + tron2 + "\n" + tron3 + " ", []string{" tron " + tron2, " tron " + tron3}},
		{"a label holds for what follows", "Known wallets:\nETH: " + evm + "\nBTC: " + segwit + "\n" + script + "\nBSC: " + evm2 + "\nTRX: " + tron,
			[]string{"ETH ethereum " + evm, "BTC bitcoin " + segwit, "BTC bitcoin " + script, "BSC bsc " + evm2, "TRX tron " + tron}},
		{"run together", "(1) ETH: " + evm + " (2) BNB:  " + evm + " (3) USDT:  " + tron + " (10) BTC: " + script + " The Director",
			[]string{"ETH ethereum " + evm, "BNB bsc " + evm, "USDT tron " + tron, "BTC bitcoin " + script}},
		{
			"without a colon behind the ticker",
			"Digital Currency Address: XBT " + script + "\t \t \nDigital Currency Address: ETH " + evm + "\t\nDigital Currency Address: USDT " + btc + " The",
			[]string{"XBT bitcoin " + script, "ETH ethereum " + evm, "USDT bitcoin " + btc},
		},
		{"an unknown ticker behind the words", "Digital Currency Address - WXYZ9 " + tron, []string{"WXYZ9 tron " + tron}},
		{"an unknown ticker", "wallets: (1) DAIX: " + evm + "; BTC: " + btc, []string{" ethereum " + evm, "BTC bitcoin " + btc}},
		{
			"a word in capitals",
			"the wallets of AYASH: " + tron + ", Gaza NOW: " + tron2 + ", AYASH " + tron3,
			[]string{" tron " + tron, " tron " + tron2, " tron " + tron3},
		},
		{"a label on its own line", "BTC:\n" + btc + "\n\nUSDT:\n" + tron, []string{"BTC bitcoin " + btc, "USDT tron " + tron}},
		{"the end of a line is not a label", "It trades in ETH\n" + tron, []string{" tron " + tron}},
		{"semicolons", "USDT: " + tron + "; " + tron2 + "; " + tron3 + ".", []string{"USDT tron " + tron, "USDT tron " + tron2, "USDT tron " + tron3}},
		{"and", "BTC: " + btc + " and " + script + " or 3. " + segwit, []string{"BTC bitcoin " + btc, "BTC bitcoin " + script, "BTC bitcoin " + segwit}},
		{"words end a label", "BTC: " + btc + ". The wallet of his brother is " + tron, []string{"BTC bitcoin " + btc, " tron " + tron}},
		{
			"networks",
			"USDT (TRC20): " + tron + ", USDT TRC-20 address: " + tron2 + ", Tether (USDT) wallet " + tron3,
			[]string{"USDT tron " + tron, "USDT tron " + tron2, "USDT tron " + tron3},
		},
		{"wallet between", "BTC wallet address: " + btc + "; ETH wallets: " + evm, []string{"BTC bitcoin " + btc, "ETH ethereum " + evm}},
		{"numbered", "BTC 1: " + btc + "\nBTC 2: " + script, []string{"BTC bitcoin " + btc, "BTC bitcoin " + script}},
		{"odd intro", "Known wallet . addresses:" + tron + ";", []string{" tron " + tron}},
		{"broken by a line feed", "wallets:\n" + tron[:20] + "\n" + tron[20:] + ";", []string{" tron " + tron}},
		{"broken in a quotation", "> BTC: " + segwit[:20] + "\n> " + segwit[20:], []string{"BTC bitcoin " + segwit}},
		{"broken by quoted-printable", "BTC: " + segwit[:20] + "=\r\n" + segwit[20:], []string{"BTC bitcoin " + segwit}},
		{"broken, behind a label", "BTC: " + segwit[:20] + " \r\n " + segwit[20:] + "\n" + script, []string{"BTC bitcoin " + segwit, "BTC bitcoin " + script}},
		{"the label decides between chains", "DOGE: " + dogeXV + " XVG: " + dogeXV, []string{"DOGE dogecoin " + dogeXV, "XVG verge " + dogeXV}},
		{"an address of another chain than the label", "XBT: " + tron + " ETH: " + btc, []string{"XBT tron " + tron, "ETH bitcoin " + btc}},
		{"a label of a chain that takes many names", "NEAR: " + segwit, []string{"NEAR bitcoin " + segwit}},
		{"a network alone is not a ticker", "(1) TRC20: " + tron + " BEP20: " + evm, []string{" tron " + tron, " ethereum " + evm}},
		{
			"lower-case hex",
			"ETH: " + strings.ToLower(evm) + " paid a" + strings.ToLower(evm2) + " " + strings.ToLower(evm2[2:]),
			[]string{"ETH ethereum " + strings.ToLower(evm)},
		},
		{"lower-case hex after a letter", "ref x" + strings.ToLower(evm2), []string{" ethereum " + strings.ToLower(evm2)}},
		{"capitals that prove it", "wallet " + evm2[2:], []string{" ethereum " + strings.ToLower(evm2)}},
		{"wrong capitals", "BSC: 0x002471B8A185f9980708d0eAEC5B289714F56f8d", []string{"BSC bsc 0x002471B8A185f9980708d0eAEC5B289714F56f8d"}},
		{"a digit after capitals that verify", evm + "0", []string{" ethereum " + evm}},
		{"a digit too many", strings.ToLower(evm) + "0", nil},
		{"traps", "LEI 984500B899H9EED3B354, EVA ID - EEA90DD050C635EC8F637E8DB2F69969, IMO9826902, +7 495 1234567, OGRN: 1027700132195, " +
			"INTERPOL-UN Security Council Special Notice web link: https://www.interpol.int/en/How-we-work/Notices/View-UN-Notices-Individuals.", nil},
		{"a typing error", "BTC: " + btc[:33] + "J", []string{"BTC  " + btc[:33] + "J"}},
		{"one without a label", "paid to " + btc[:33] + "J", nil},
		{"one that only may be a label", "BTC " + btc[:33] + "J, AYASH: " + btc[:33] + "J", nil},
		{
			"what is announced",
			"Digital Currency Address - XMR 5be5543ff73456ab9f2d207887e2af87322c651ea1a873c5b25b7ffae456c320",
			[]string{"XMR  5be5543ff73456ab9f2d207887e2af87322c651ea1a873c5b25b7ffae456c320"},
		},
		{"a letter of another alphabet", "USDT: " + tron[:10] + "н" + tron[11:] + ".", []string{"USDT  " + tron[:10] + "н" + tron[11:]}},
		{"no checksum", "SOL: " + solana + ", " + solana2 + ". BTC: " + btc, []string{"SOL solana " + solana, "SOL solana " + solana2, "BTC bitcoin " + btc}},
		{
			"no checksum, between others",
			"BTC: " + btc + "\nSOL: " + solana + "\n" + solana2 + "\nTRX: " + tron,
			[]string{"BTC bitcoin " + btc, "SOL solana " + solana, "SOL solana " + solana2, "TRX tron " + tron},
		},
		{
			"no checksum, without a colon",
			"Digital Currency Address: SOL " + solana + "\tand SOL wallet " + solana2,
			[]string{"SOL solana " + solana, "SOL solana " + solana2},
		},
		{
			"no checksum, broken by a line feed",
			"SOL: " + solana[:12] + "\n" + solana[12:] + "\nSOL: " + solana[:30] + " \r\n" + solana[30:] + ";",
			[]string{"SOL solana " + solana, "SOL solana " + solana},
		},
		{"no checksum, of a token", "USDC (SPL): " + solana + " USDC: " + solana, []string{"USDC  " + solana}},
		{"no checksum, other chains", "APT: " + move + "; SUI address: " + move, []string{"APT aptos " + move, "SUI sui " + move}},
		{
			"the name of a chain",
			"Solana wallet: " + solana + "\nsolana: " + solana2 + " Solana " + solana2 + " Tezos: " + solana,
			[]string{" solana " + solana, " solana " + solana2},
		},
		{"the name of a chain, a line above", "Solana address\nNo: " + solana, []string{" solana " + solana}},
		{"the name of a chain, with its colon", "Solana: wallet " + solana, []string{" solana " + solana}},
		{"announced, without a ticker", "男性暗号資産アドレス：" + btc[:33] + "J、ETH " + evm + "; BTC " + tron[:33] + "zを保有。Digital Currency Address: " + solana + " " + solana2,
			[]string{"  " + btc[:33] + "J", "ETH ethereum " + evm, "BTC  " + tron[:33] + "z", "  " + solana, "  " + solana2}},
		{"announced, in other marks", "暗号資産アドレス（BTC）：" + btc[:33] + "J\n暗号資産アドレス：(1) " + tron[:33] + "z②" + btc[:33] + "K\nDigital currency address\nripple:" + "rBgGZ9tc4him9KBzD8fKFiQz3fSZpaSwMJ",
			[]string{"BTC  " + btc[:33] + "J", "  " + tron[:33] + "z", "  " + btc[:33] + "K", "  " + "rBgGZ9tc4him9KBzD8fKFiQz3fSZpaSwMJ"}},
		{"a ticker on a line between", "BTC: " + btc + "\nETH\n" + evm, []string{"BTC bitcoin " + btc, " ethereum " + evm}},
		{"a ticker of another sentence", "paid in SOL\naddress\nno: " + solana + "\nSOL\nwallet: " + solana2, nil},
		{"no label", solana + " is the account, BTC wallet of Sol " + solana2 + ", REF: " + solana, nil},
		{"a label before words", "NEAR: the 1234567890123456789012345 rubles, SOL: Internationalization, ONE 12345678901234567890123456789012", nil},
		{"glued", "BTC: " + "x" + btc + "y" + strings.Repeat("z1", 20), []string{" bitcoin " + btc}},
		{
			"a letter that looks like another one",
			"His wallet is \u0422" + tron[1:] + ", and Ox" + evm[2:] + ", l" + btc[1:] + "z is none; of ETH: Ox" + evm2[2:],
			[]string{"  \u0422" + tron[1:], "  Ox" + evm[2:], "ETH  Ox" + evm2[2:]},
		},
		{"invalid UTF-8", "\xff\xfeBTC: \xc3" + btc + "\xe2\x82", []string{"BTC bitcoin " + btc}},
		{"a label far away", "BTC: " + strings.Repeat(" ", 5000) + btc, []string{" bitcoin " + btc}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, w := range freetext.Find(tt.text) {
				got = append(got, w.Asset+" "+string(w.Address.Chain())+" "+w.Listed)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("Find(%.300q)\n got %q\nwant %q", tt.text, got, tt.want)
			}
		})
	}
}

// Forty addresses on one line, like the addresses of Xinbi on the UK list: none
// is lost.
func TestFindMany(t *testing.T) {
	addresses := []string{tron, tron2, tron3, btc, segwit, script, evm, evm2}
	var many []string
	for len(many) < 40 {
		many = append(many, addresses...)
	}
	got := freetext.Find("controls these wallets: " + strings.Join(many, "; ") + ".")
	if len(got) != len(many) {
		t.Fatalf("%d wallets, want %d", len(got), len(many))
	}
	for i, w := range got {
		if w.Listed != many[i] {
			t.Errorf("wallet %d: %q, want %q", i, w.Listed, many[i])
		}
	}
}

// FuzzFind checks that each wallet appears in the text, in order, and that all
// addresses that FindAll finds are found.
func FuzzFind(f *testing.F) {
	f.Add("Known:\nETH: " + evm + "\nBTC: " + segwit + "\n" + script)
	f.Add("暗号資産アドレス：" + btc[:33] + "J、TRX " + tron + "を保有")
	f.Add("Digital Currency Address: XBT " + script + "; (2) USDT (TRC20):\n" + tron[:9] + "\r\n" + tron[9:])
	f.Fuzz(func(t *testing.T, text string) {
		wallets := freetext.Find(text)
		found := address.FindAll(text)
		rest := strings.ToValidUTF8(text, "?")
		announced := strings.Contains(strings.ToLower(text), "digital currency address") || strings.Contains(text, "暗号資産アドレス")
		for i, w := range wallets {
			if w.Listed == "" || !strings.Contains(text, w.Asset) || strings.ContainsAny(w.Listed, " \t\r\n") || !w.Address.IsValid() && w.Asset == "" && !announced && len(sources.Repair("", w.Listed)) == 0 {
				t.Errorf("Find(%q): wallet %d is %+v", text, i, w)
			}
			if len(found) > 0 && (w.Listed == text[found[0].Start:found[0].End] || w.Listed == found[0].Address.Normalized()) {
				found = found[1:]
				continue
			}
			var ok bool
			if _, rest, ok = strings.Cut(rest, w.Listed); !ok {
				t.Errorf("Find(%q): wallet %d, %q, is not behind the one before", text, i, w.Listed)
			}
		}
		if len(found) > 0 {
			t.Errorf("Find(%q): %+v, and %v not among them", text, wallets, found[0].Address)
		}
	})
}

// BenchmarkFind reads a long text that looks like labeled addresses
// throughout.
func BenchmarkFind(b *testing.B) {
	for name, text := range map[string]string{
		"words": strings.Repeat("Registration number 1234567890, of the Directorate ", 20_000),
		"codes": strings.Repeat("aB3dE6gH9 ", 100_000),
		"label": strings.Repeat("BTC: aB3dE6gH9\n", 66_000),
		"long":  strings.Repeat("aB3dE6gH9jK2mN5pQ8rS1tU4vW7x ", 33_000),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				freetext.Find(text)
			}
		})
	}
}
