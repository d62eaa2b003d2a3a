package e2e_test

import (
	"errors"
	"math/big"
	"testing"

	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/accounts/abi/bind"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient/simulated"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/examples/guard"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// TestGuard sends transactions on a simulated chain with a guarded signer: those to a listed
// account, directly or by calldata, never arrive.
func TestGuard(t *testing.T) {
	listed, clean := common.HexToAddress("0x098B716B8Aaf21512996dC57EB0615e2383E2f96"), common.HexToAddress("0x1111111111111111111111111111111111111111")
	s, err := screening.New([]sources.Source{sources.Static(sources.Info{ID: "OFAC_SDN", Name: "OFAC", Jurisdiction: sources.US},
		sources.Entry{Address: address.MustParse("ethereum", listed.Hex()), Kind: score.Sanctioned})}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	key, err := crypto.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	backend := simulated.NewBackend(types.GenesisAlloc{crypto.PubkeyToAddress(key.PublicKey): {Balance: new(big.Int).Lsh(big.NewInt(1), 100)}})
	defer backend.Close()
	client := backend.Client()
	opts, err := bind.NewKeyedTransactorWithChainID(key, big.NewInt(1337))
	if err != nil {
		t.Fatal(err)
	}
	opts.Signer = guard.Wrap(&guard.Guard{Screener: s}, opts.Signer)
	opts.Value, opts.GasLimit = big.NewInt(7), 100_000
	transfer := func(to common.Address) []byte { // transfer(address,uint256)
		return append(append([]byte{0xa9, 0x05, 0x9c, 0xbb}, common.LeftPadBytes(to[:], 32)...), common.LeftPadBytes([]byte{1}, 32)...)
	}
	for i, tt := range []struct {
		to       common.Address
		calldata []byte
		refused  error
		balance  int64 // of to afterwards
	}{
		{clean, nil, nil, 7}, {listed, nil, guard.ErrListed, 0},
		{clean, transfer(clean), nil, 14}, {clean, transfer(listed), guard.ErrListed, 14}, {clean, []byte{1, 2, 3, 4}, guard.ErrUnknownCall, 14},
	} {
		_, err := bind.NewBoundContract(tt.to, abi.ABI{}, client, client, client).RawTransact(opts, tt.calldata)
		if !errors.Is(err, tt.refused) {
			t.Errorf("transaction %d: %v, want %v", i, err, tt.refused)
		}
		backend.Commit()
		balance, err := client.BalanceAt(t.Context(), tt.to, nil)
		if err != nil || balance.Int64() != tt.balance {
			t.Errorf("transaction %d: %v has %v, want %d: %v", i, tt.to, balance, tt.balance, err)
		}
	}
}
