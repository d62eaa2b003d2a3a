package e2e_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	_ "embed"
	"encoding/json"
	"errors"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/accounts/abi"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/common/hexutil"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/eth/ethconfig"
	"github.com/ethereum/go-ethereum/ethclient/simulated"
	"github.com/ethereum/go-ethereum/node"
	"github.com/ethereum/go-ethereum/rpc"

	"github.com/walletscreen/walletscreen/address"
)

//go:embed testdata/lists.json
var compiled []byte

// A chain is a simulated go-ethereum chain with one node. It serves the JSON-RPC of the
// node over HTTP.
type chain struct {
	t       *testing.T
	backend *simulated.Backend
	node    *rpc.Client
	key     *ecdsa.PrivateKey
	nonce   uint64
	url     string

	shown    atomic.Pointer[shown]
	maxRange atomic.Uint64 // the most blocks that eth_getLogs takes; 0 for any
	queries  atomic.Int64  // calls of eth_getLogs
}

// A shown is what clients see in place of the simulated chain, and of one contract on it: a contract
// that Frozen knows, on its chain.
type shown struct {
	chain   address.Chain
	id      uint64 // of the chain
	address string // of the contract
	first   uint64 // block
	list    *contract
}

// newChain starts a chain that ends with the test.
func newChain(t *testing.T) *chain {
	t.Helper()
	key, err := crypto.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	// The simulated node listens on the given address. HTTP would need a free port to be
	// chosen first; a socket does not.
	dir, err := os.MkdirTemp("", "e2e")
	if err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "ipc")
	rich := new(big.Int).Lsh(big.NewInt(1), 100)
	backend := simulated.NewBackend(
		types.GenesisAlloc{crypto.PubkeyToAddress(key.PublicKey): {Balance: rich}},
		func(conf *node.Config, _ *ethconfig.Config) { conf.IPCPath = socket },
	)
	client, err := rpc.Dial(socket)
	if err != nil {
		t.Fatal(err)
	}
	c := &chain{t: t, backend: backend, node: client, key: key}
	server := httptest.NewServer(c)
	t.Cleanup(func() {
		server.Close()
		client.Close()
		if err := errors.Join(backend.Close(), os.RemoveAll(dir)); err != nil {
			t.Error(err)
		}
	})
	c.url = server.URL
	return c
}

// ServeHTTP forwards one call to the node and returns its response, as c.shown.
func (c *chain) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var call struct {
		ID     json.RawMessage
		Method string
		Params []any
	}
	if err := json.NewDecoder(r.Body).Decode(&call); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	as := c.shown.Load()
	var err error
	switch call.Method {
	case "eth_getLogs":
		c.queries.Add(1)
		filter := call.Params[0].(map[string]any)
		from, to := hexutil.MustDecodeUint64(filter["fromBlock"].(string)), hexutil.MustDecodeUint64(filter["toBlock"].(string))
		if limit := c.maxRange.Load(); limit > 0 && to-from+1 > limit {
			err = errors.New("block range too large")
		}
		filter["fromBlock"], filter["toBlock"] = hexutil.EncodeUint64(from-as.first), hexutil.EncodeUint64(to-as.first)
		if filter["address"] == as.address {
			filter["address"] = as.list.address
		}
	case "eth_getBlockByNumber":
		if n, err := hexutil.DecodeUint64(call.Params[0].(string)); err == nil {
			call.Params[0] = hexutil.EncodeUint64(n - as.first)
		}
	}
	var result any
	if err == nil {
		err = c.node.CallContext(r.Context(), &result, call.Method, call.Params...)
	}
	switch result := result.(type) {
	case []any: // logs
		for _, l := range result {
			l := l.(map[string]any)
			l["address"], l["blockNumber"] = as.address, hexutil.EncodeUint64(hexutil.MustDecodeUint64(l["blockNumber"].(string))+as.first)
		}
	case map[string]any: // a block
		result["number"] = hexutil.EncodeUint64(hexutil.MustDecodeUint64(result["number"].(string)) + as.first)
	}
	if call.Method == "eth_chainId" {
		result = hexutil.EncodeUint64(as.id)
	}
	answer := map[string]any{"jsonrpc": "2.0", "id": call.ID}
	if err != nil {
		code := -32000
		var coded rpc.Error
		if errors.As(err, &coded) {
			code = coded.ErrorCode()
		}
		answer["error"] = map[string]any{"code": code, "message": err.Error()}
	} else {
		answer["result"] = result
	}
	json.NewEncoder(w).Encode(answer)
}

// A contract is a deployed contract.
type contract struct {
	*chain
	abi     abi.ABI
	address common.Address
}

// deploy deploys the named contract of lists.sol in a separate block.
func (c *chain) deploy(name string) *contract {
	c.t.Helper()
	var all map[string]struct {
		ABI  json.RawMessage
		Code hexutil.Bytes
	}
	if err := json.Unmarshal(compiled, &all); err != nil {
		c.t.Fatal(err)
	}
	parsed, err := abi.JSON(bytes.NewReader(all[name].ABI))
	if err != nil {
		c.t.Fatal(err)
	}
	tx := c.send(nil, all[name].Code)
	c.backend.Commit()
	receipt := c.receipt(tx)
	return &contract{c, parsed, receipt.ContractAddress}
}

// send sends a transaction and waits until it is pending for the next block.
func (c *chain) send(to *common.Address, data []byte) common.Hash {
	c.t.Helper()
	tx := c.sign(to, data)
	if err := c.backend.Client().SendTransaction(context.Background(), tx); err != nil {
		c.t.Fatal(err)
	}
	c.nonce++
	// The pool adds it asynchronously, at the latest with the next block.
	for end := time.Now().Add(time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		next, err := c.backend.Client().PendingNonceAt(context.Background(), crypto.PubkeyToAddress(c.key.PublicKey))
		if err != nil {
			c.t.Fatal(err)
		}
		if next >= c.nonce {
			break
		}
	}
	return tx.Hash()
}

// sign makes a transaction that pays a few gwei for a unit of gas.
func (c *chain) sign(to *common.Address, data []byte) *types.Transaction {
	c.t.Helper()
	price := new(big.Int).Mul(big.NewInt(10), big.NewInt(1e9))
	tx, err := types.SignNewTx(c.key, types.LatestSignerForChainID(big.NewInt(1337)), &types.DynamicFeeTx{
		ChainID: big.NewInt(1337), Nonce: c.nonce, To: to, Data: data,
		Gas: 1_500_000, GasFeeCap: price, GasTipCap: price,
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return tx
}

// receipt returns the receipt of a transaction, and fails the test if it was reverted.
func (c *chain) receipt(tx common.Hash) *types.Receipt {
	c.t.Helper()
	receipt, err := c.backend.Client().TransactionReceipt(context.Background(), tx)
	if err != nil {
		c.t.Fatal(err)
	}
	if receipt.Status != types.ReceiptStatusSuccessful {
		c.t.Fatalf("transaction %v failed", tx)
	}
	return receipt
}

// mine adds blocks to the chain.
func (c *chain) mine(n int) {
	for range n {
		c.backend.Commit()
	}
}

// finalize adds blocks until the last one is final: the simulated chain finalizes every
// 32nd block.
func (c *chain) finalize() {
	c.t.Helper()
	for {
		c.mine(1)
		if c.header("latest").Number.Uint64()%32 == 0 {
			return
		}
	}
}

// header returns the header of the block with that tag.
func (c *chain) header(tag string) *types.Header {
	c.t.Helper()
	number := map[string]*big.Int{"latest": nil, "finalized": big.NewInt(int64(rpc.FinalizedBlockNumber))}[tag]
	h, err := c.backend.Client().HeaderByNumber(context.Background(), number)
	if err != nil {
		c.t.Fatal(err)
	}
	return h
}

// call encodes a call of a method of the contract.
func (k *contract) call(method string, args ...any) []byte {
	k.t.Helper()
	data, err := k.abi.Pack(method, args...)
	if err != nil {
		k.t.Fatal(err)
	}
	return data
}

// do sends a call, which is executed in the next block.
func (k *contract) do(method string, args ...any) common.Hash {
	k.t.Helper()
	return k.send(&k.address, k.call(method, args...))
}

// listed asks the contract whether it lists an account as of the last final block.
func (k *contract) listed(a common.Address) bool {
	k.t.Helper()
	msg := ethereum.CallMsg{To: &k.address, Data: k.call("listed", a)}
	out, err := k.backend.Client().CallContract(context.Background(), msg, k.header("finalized").Number)
	if err != nil {
		k.t.Fatal(err)
	}
	return new(big.Int).SetBytes(out).Sign() != 0
}

// text returns the normal form of an address.
func text(a common.Address) string { return strings.ToLower(a.Hex()) }
