package guard_test

import (
	"bytes"
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/accounts/abi/bind"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/holiman/uint256"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/examples/guard"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

var (
	listed = common.HexToAddress("0x098B716B8Aaf21512996dC57EB0615e2383E2f96")
	clean  = common.HexToAddress("0x1111111111111111111111111111111111111111")
	token  = common.HexToAddress("0xdAC17F958D2ee523a2206206994597C13D831ec7")
	key, _ = crypto.HexToECDSA(strings.Repeat("1f", 32))
	me     = crypto.PubkeyToAddress(key.PublicKey)
	chain  = big.NewInt(1337) // of the simulated backend
)

// newScreener returns a Screener with one listed account, and a Tron account.
func newScreener(t testing.TB, opts *screening.Options, load bool) *screening.Screener {
	t.Helper()
	s, err := screening.New([]sources.Source{sources.Static(sources.Info{ID: "OFAC_SDN", Name: "OFAC", Jurisdiction: sources.US},
		sources.Entry{Address: address.MustParse("ethereum", listed.Hex()), Kind: score.Sanctioned, Ref: "27307", Name: "Lazarus Group"},
		sources.Entry{Address: address.MustParse("tron", "TBHTJqAy4DhHhmT3dNceJYNRz4SdLofLre"), Kind: score.Sanctioned, Ref: "43421"},
	)}, opts)
	if err != nil {
		t.Fatal(err)
	}
	if load {
		if _, err := s.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// encode returns the calldata of a call, as go-ethereum encodes it.
func encode(t testing.TB, name string, types []string, args ...any) []byte {
	t.Helper()
	var inputs abi.Arguments
	for _, text := range types {
		var parts []abi.ArgumentMarshaling
		if inner, ok := strings.CutPrefix(text, "("); ok {
			for i, part := range strings.Split(strings.TrimSuffix(inner, ")[]"), ",") {
				parts = append(parts, abi.ArgumentMarshaling{Name: string(rune('a' + i)), Type: part})
			}
			text = "tuple[]"
		}
		typ, err := abi.NewType(text, "", parts)
		if err != nil {
			t.Fatal(err)
		}
		inputs = append(inputs, abi.Argument{Type: typ})
	}
	packed, err := inputs.Pack(args...)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return append(crypto.Keccak256([]byte(name + "(" + strings.Join(types, ",") + ")"))[:4], packed...)
}

type call3 struct {
	A common.Address
	B bool
	C []byte
}

type call3Value struct {
	A common.Address
	B bool
	C *big.Int
	D []byte
}

// shapes are calls that name an account, each with an account that stands in it.
func shapes(t testing.TB, account common.Address) map[string][]byte {
	one, many := big.NewInt(1), []*big.Int{big.NewInt(1), big.NewInt(2)}
	all := map[string][]byte{
		"transfer":          encode(t, "transfer", []string{"address", "uint256"}, account, one),
		"transferFrom to":   encode(t, "transferFrom", []string{"address", "address", "uint256"}, clean, account, one),
		"transferFrom from": encode(t, "transferFrom", []string{"address", "address", "uint256"}, account, clean, one),
		"approve":           encode(t, "approve", []string{"address", "uint256"}, account, one),
		"permit": encode(t, "permit", []string{"address", "address", "uint256", "uint256", "uint8", "bytes32", "bytes32"},
			clean, account, one, one, uint8(27), [32]byte{}, [32]byte{}),
		"safeTransferFrom 721":       encode(t, "safeTransferFrom", []string{"address", "address", "uint256"}, clean, account, one),
		"safeTransferFrom 721, data": encode(t, "safeTransferFrom", []string{"address", "address", "uint256", "bytes"}, clean, account, one, []byte("x")),
		"safeTransferFrom 1155": encode(t, "safeTransferFrom", []string{"address", "address", "uint256", "uint256", "bytes"},
			clean, account, one, one, []byte("x")),
		"safeBatchTransferFrom": encode(t, "safeBatchTransferFrom", []string{"address", "address", "uint256[]", "uint256[]", "bytes"},
			clean, account, many, many, []byte("x")),
		"setApprovalForAll": encode(t, "setApprovalForAll", []string{"address", "bool"}, account, true),
		"aggregate3 target": encode(t, "aggregate3", []string{"(address,bool,bytes)[]"}, []call3{{A: clean}, {A: account}}),
		"aggregate3Value target": encode(t, "aggregate3Value", []string{"(address,bool,uint256,bytes)[]"},
			[]call3Value{{A: clean, C: one}, {A: account, C: one}}),
	}
	for range 2 { // nested twice
		for name, data := range all {
			if strings.Count(name, " in ") > 1 {
				continue
			}
			calls := [][]byte{encode(t, "approve", []string{"address", "uint256"}, clean, one), data}
			all[name+" in multicall"] = encode(t, "multicall", []string{"bytes[]"}, calls)
			all[name+" in multicall, deadline"] = encode(t, "multicall", []string{"uint256", "bytes[]"}, one, calls)
			all[name+" in aggregate3"] = encode(t, "aggregate3", []string{"(address,bool,bytes)[]"}, []call3{{A: token, C: data}})
		}
	}
	return all
}

// newTx returns a transaction to an account.
func newTx(to *common.Address, data []byte) *types.Transaction {
	return types.NewTx(&types.DynamicFeeTx{ChainID: chain, To: to, Data: data, Gas: 1e6, GasFeeCap: big.NewInt(1e10), GasTipCap: big.NewInt(1)})
}

// signer returns a signer with a guard.
func signer(t testing.TB, g *guard.Guard) bind.SignerFn {
	t.Helper()
	opts, err := bind.NewKeyedTransactorWithChainID(key, chain)
	if err != nil {
		t.Fatal(err)
	}
	return guard.Wrap(g, opts.Signer)
}

// TestShapes checks each shape of calldata with a listed and with a clean account.
func TestShapes(t *testing.T) {
	g := &guard.Guard{Screener: newScreener(t, nil, true), Unknown: func(common.Address, []byte) error {
		t.Error("a known call is unknown")
		return nil
	}}
	sign := signer(t, g)
	for name, data := range shapes(t, listed) {
		_, err := sign(me, newTx(&token, data))
		if refused := (*guard.RecipientError)(nil); !errors.As(err, &refused) || refused.Recipient != listed || !errors.Is(err, guard.ErrListed) {
			t.Errorf("%s: %v", name, err)
		}
		recipients, unknown := guard.Recipients(newTx(&token, data))
		if !slices.Contains(recipients, listed) || len(unknown) > 0 {
			t.Errorf("%s: the recipients are %v, unknown %v", name, recipients, unknown)
		}
	}
	for name, data := range shapes(t, clean) {
		if tx, err := sign(me, newTx(&token, data)); err != nil || tx == nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	// USDT reads arguments that were cut as if zeros followed.
	zeros := common.HexToAddress("0x098B716B8Aaf21512996dC57EB0615e2383E2f00")
	short := encode(t, "transfer", []string{"address", "uint256"}, zeros, big.NewInt(0))[:4+31]
	if recipients, _ := guard.Recipients(newTx(&token, short)); !slices.Contains(recipients, zeros) {
		t.Errorf("the recipients of cut calldata are %v", recipients)
	}
}

// TestTransactions checks transactions of all types.
func TestTransactions(t *testing.T) {
	sign := signer(t, &guard.Guard{Screener: newScreener(t, nil, true)})
	auth := func(delegate common.Address) []types.SetCodeAuthorization {
		a, err := types.SignSetCode(key, types.SetCodeAuthorization{ChainID: *uint256.NewInt(1337), Address: delegate})
		if err != nil {
			t.Fatal(err)
		}
		return []types.SetCodeAuthorization{a}
	}
	c := uint256.MustFromBig(chain)
	for _, tt := range []struct {
		name string
		tx   func(to common.Address) types.TxData
	}{
		{"legacy", func(to common.Address) types.TxData { return &types.LegacyTx{To: &to, Gas: 21000} }},
		{"access list", func(to common.Address) types.TxData { return &types.AccessListTx{ChainID: chain, To: &to} }},
		{"dynamic fee", func(to common.Address) types.TxData { return &types.DynamicFeeTx{ChainID: chain, To: &to} }},
		{"blob", func(to common.Address) types.TxData {
			return &types.BlobTx{ChainID: c, To: to, BlobHashes: []common.Hash{{1}}}
		}},
		{"set code, to", func(to common.Address) types.TxData {
			return &types.SetCodeTx{ChainID: c, To: to, AuthList: auth(clean)}
		}},
		{"set code, delegate", func(to common.Address) types.TxData {
			return &types.SetCodeTx{ChainID: c, To: clean, AuthList: auth(to)}
		}},
	} {
		if _, err := sign(me, types.NewTx(tt.tx(listed))); !errors.Is(err, guard.ErrListed) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if tx, err := sign(me, types.NewTx(tt.tx(clean))); err != nil || tx == nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
	if _, err := sign(me, newTx(nil, append([]byte{1, 2, 3, 4}, listed[:]...))); err != nil { // it is not looked into
		t.Errorf("a creation: %v", err)
	}
}

// TestUnknown checks who decides about calldata that is not known.
func TestUnknown(t *testing.T) {
	s := newScreener(t, nil, true)
	packed := append([]byte{1, 2, 3, 4, 5}, listed[:]...)
	for name, tt := range map[string]struct {
		data   []byte
		listed bool
	}{
		"selector": {[]byte{1, 2, 3, 4}, false}, "short": {[]byte{1}, false}, "packed": {packed, true},
		"in multicall":           {encode(t, "multicall", []string{"bytes[]"}, [][]byte{{1, 2, 3, 4}}), false},
		"packed in multicall":    {encode(t, "multicall", []string{"bytes[]"}, [][]byte{packed}), true},
		"a multicall that ends":  {encode(t, "multicall", []string{"bytes[]"}, [][]byte{{1, 2, 3, 4}})[:70], false},
		"an offset beyond":       {append(encode(t, "multicall", []string{"bytes[]"}, [][]byte{})[:4], bytes.Repeat([]byte{255}, 64)...), false},
		"disperse":               {encode(t, "disperseEther", []string{"address[]", "uint256[]"}, []common.Address{clean, listed}, []*big.Int{big.NewInt(1), big.NewInt(1)}), true},
		"disperse to the clean":  {encode(t, "disperseEther", []string{"address[]", "uint256[]"}, []common.Address{clean}, []*big.Int{big.NewInt(1)}), false},
		"nested deeper than any": {deep(t, 40), false},
	} {
		want := guard.ErrUnknownCall
		if tt.listed {
			want = guard.ErrListed
		}
		if _, err := signer(t, &guard.Guard{Screener: s})(me, newTx(&token, tt.data)); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
		asked, own := 0, errors.New("no")
		for _, decided := range []error{nil, own} {
			tx, err := signer(t, &guard.Guard{Screener: s, Unknown: func(to common.Address, _ []byte) error {
				asked++
				if to != token {
					t.Errorf("%s: the call is of %v", name, to)
				}
				return decided
			}})(me, newTx(&token, tt.data))
			if tt.listed && (!errors.Is(err, guard.ErrListed) || asked > 0) || !tt.listed && (!errors.Is(err, decided) || (tx == nil) != (decided != nil)) {
				t.Errorf("%s: %v, asked %d times", name, err, asked)
			}
		}
	}
}

// deep returns a transfer inside n multicalls.
func deep(t testing.TB, n int) []byte {
	data := encode(t, "transfer", []string{"address", "uint256"}, clean, big.NewInt(1))
	for range n {
		data = encode(t, "multicall", []string{"bytes[]"}, [][]byte{data})
	}
	return data
}

// TestLists checks that nothing is signed while a list is missing or stale.
func TestLists(t *testing.T) {
	for name, tt := range map[string]struct {
		s    *screening.Screener
		want error
	}{
		"missing": {newScreener(t, nil, false), screening.ErrNotLoaded},
		"stale":   {newScreener(t, &screening.Options{MaxAge: time.Nanosecond}, true), screening.ErrStale},
	} {
		if tx, err := signer(t, &guard.Guard{Screener: tt.s})(me, newTx(&clean, nil)); tx != nil || !errors.Is(err, tt.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzSign checks that no calldata makes the guard panic, or sign although an account that it
// reads is listed; and that a listed recipient in nested calls is always found.
func FuzzSign(f *testing.F) {
	s := newScreener(f, nil, true)
	sign := signer(f, &guard.Guard{Screener: s, Unknown: func(common.Address, []byte) error { return nil }})
	for _, data := range shapes(f, listed) {
		if len(data) < 1000 {
			f.Add(data, []byte{0, 1, 2})
		}
	}
	f.Add(deep(f, 20), []byte{})
	f.Fuzz(func(t *testing.T, data, nesting []byte) {
		tx := newTx(&token, data)
		recipients, _ := guard.Recipients(tx)
		if _, err := sign(me, tx); err == nil && slices.Contains(recipients, listed) {
			t.Errorf("%x is signed", data)
		}
		pay := encode(t, "transfer", []string{"address", "uint256"}, listed, big.NewInt(1))
		for _, b := range nesting[:min(len(nesting), 8)] {
			switch b % 4 {
			case 0:
				pay = encode(t, "multicall", []string{"bytes[]"}, [][]byte{data, pay})
			case 1:
				pay = encode(t, "multicall", []string{"uint256", "bytes[]"}, big.NewInt(1), [][]byte{pay, data})
			case 2:
				pay = encode(t, "aggregate3", []string{"(address,bool,bytes)[]"}, []call3{{A: clean, C: data}, {A: token, C: pay}})
			case 3:
				pay = encode(t, "aggregate3Value", []string{"(address,bool,uint256,bytes)[]"}, []call3Value{{A: token, C: big.NewInt(0), D: pay}})
			}
		}
		if len(pay) > 128<<10 {
			return
		}
		tx = newTx(&token, pay)
		if signed, err := sign(me, tx); signed != nil || !errors.Is(err, guard.ErrListed) {
			t.Errorf("%x is signed: %v", pay, err)
		}
		if recipients, _ := guard.Recipients(tx); !slices.Contains(recipients, listed) {
			t.Errorf("%x: the recipients are %v", pay, recipients)
		}
	})
}
