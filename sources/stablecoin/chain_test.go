package stablecoin_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/walletscreen/walletscreen/sources/stablecoin"
)

// The contracts of the tests, one for each form of event.
const (
	usdt = "0xdac17f958d2ee523a2206206994597c13d831ec7" // the address in the data
	usdc = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48" // the address indexed
)

// A chain is an Ethereum chain that has only logs, and a node with the JSON-RPC
// methods that the source needs.
type chain struct {
	mu       sync.Mutex
	id       uint64
	head     uint64 // the last block
	final    uint64 // the last final block
	logs     []map[string]any
	noTime   bool   // logs have no blockTimestamp
	maxRange uint64 // the most blocks that eth_getLogs takes; 0 for any
	calls    []call // all that were made

	// answer, if not nil, can replace the response: it returns the members other
	// than version and id.
	answer func(c call) map[string]any
	// serve, if not nil, can replace the whole response; it returns whether it
	// did.
	serve func(w http.ResponseWriter, c call) bool
}

type call struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params []any           `json:"params"`
}

const genesis = 1_600_000_000 // the time of block 0; the others follow each 12 seconds

func newChain(head uint64) *chain {
	return &chain{id: 1, head: head, final: head}
}

func word(account string) string { return strings.Repeat("0", 24) + strings.ToLower(account[2:]) }

// emit logs that contract froze or unfroze the account, in block n.
func (c *chain) emit(n uint64, contract string, added bool, account string) map[string]any {
	def := stablecoin.Known(map[string]string{usdt: "USDT", usdc: "USDC"}[contract])[0]
	name := def.Removed
	if added {
		name = def.Added
	}
	topics, data := []string{stablecoin.Topic(name)}, "0x"+word(account)
	if contract == usdc {
		topics, data = append(topics, data), "0x"
	}
	index := 0
	for _, l := range c.logs {
		if l["blockNumber"] == quantity(n) {
			index++
		}
	}
	l := map[string]any{
		"address": contract, "topics": topics, "data": data,
		"blockNumber": quantity(n), "transactionHash": txHash(n, index), "transactionIndex": "0x0",
		"logIndex": quantity(uint64(index)), "removed": false, "blockTimestamp": quantity(genesis + 12*n),
	}
	if c.noTime {
		delete(l, "blockTimestamp")
	}
	c.logs = append(c.logs, l)
	return l
}

func quantity(n uint64) string { return "0x" + strconv.FormatUint(n, 16) }

func txHash(n uint64, index int) string { return fmt.Sprintf("0x%064x", n<<32+uint64(index)) }

func number(s any) uint64 {
	n, err := strconv.ParseUint(strings.TrimPrefix(s.(string), "0x"), 16, 64)
	if err != nil {
		panic(err)
	}
	return n
}

// ServeHTTP answers one call.
func (c *chain) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var req call
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil || r.Method != http.MethodPost {
		http.Error(w, "no call", http.StatusBadRequest)
		return
	}
	c.calls = append(c.calls, req)
	if c.serve != nil && c.serve(w, req) {
		return
	}
	var answer map[string]any
	if c.answer != nil {
		answer = c.answer(req)
	}
	if answer == nil {
		answer = c.respond(req)
	}
	answer["jsonrpc"] = "2.0"
	if _, ok := answer["id"]; !ok {
		answer["id"] = req.ID
	}
	json.NewEncoder(w).Encode(answer)
}

// respond returns the response of an honest node.
func (c *chain) respond(req call) map[string]any {
	switch req.Method {
	case "eth_chainId":
		return result(quantity(c.id))
	case "eth_getBlockByNumber":
		var n uint64
		switch which := req.Params[0].(string); which {
		case "latest":
			n = c.head
		case "finalized":
			n = c.final
		default:
			n = number(which)
		}
		if n > c.head {
			return result(nil)
		}
		return result(map[string]any{"number": quantity(n), "timestamp": quantity(genesis + 12*n), "transactions": []any{}})
	case "eth_getLogs":
		filter := req.Params[0].(map[string]any)
		from, to := number(filter["fromBlock"]), number(filter["toBlock"])
		if c.maxRange > 0 && to-from+1 > c.maxRange {
			return failure(-32005, fmt.Sprintf("query returned more than %d results", c.maxRange))
		}
		logs := []any{}
		for _, l := range c.logs {
			n := number(l["blockNumber"])
			if n >= from && n <= to && filter["address"] == l["address"] &&
				slices.Contains(filter["topics"].([]any)[0].([]any), any(l["topics"].([]string)[0])) {
				logs = append(logs, l)
			}
		}
		return result(logs)
	}
	return failure(-32601, "the method "+req.Method+" does not exist")
}

func result(v any) map[string]any { return map[string]any{"result": v} }

func failure(code int, message string) map[string]any {
	return map[string]any{"error": map[string]any{"code": code, "message": message}}
}

// count returns the number of calls of method.
func (c *chain) count(method string) int {
	n := 0
	for _, call := range c.calls {
		if call.Method == method {
			n++
		}
	}
	return n
}

// client returns a client that reaches the node without a network.
func (c *chain) client() *http.Client { return &http.Client{Transport: transport{c}} }

type transport struct{ http.Handler }

func (t transport) RoundTrip(r *http.Request) (resp *http.Response, err error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	w := httptest.NewRecorder()
	t.ServeHTTP(w, r)
	resp = w.Result()
	resp.Request = r
	return resp, nil
}
