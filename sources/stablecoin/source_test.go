package stablecoin_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/sourcetest"
	"github.com/walletscreen/walletscreen/sources/stablecoin"
)

const endpoint = "https://user:passw0rd@node.example/v3/0123456789abcdef?token=feedbeef"

var secrets = []string{"passw0rd", "0123456789abcdef", "feedbeef"}

// person returns the address of the i-th test account.
func person(i int) string { return fmt.Sprintf("0x%040x", 0xabc000+i) }

// options returns options to follow USDT on c.
func options(c *chain) *stablecoin.Options {
	contract := stablecoin.Known("USDT")[0]
	contract.FirstBlock = 10
	opts := &stablecoin.Options{Client: c.client()}
	opts.SetContract(contract)
	opts.SetMaxRange(100)
	return opts
}

// frozenAt returns the freezes on the chain of the options.
func frozenAt(endpoint string, opts *stablecoin.Options) sources.Source {
	return stablecoin.Frozen("USDT", map[address.Chain]string{opts.Contract().Chain: endpoint}, opts)
}

// change changes the contract of the options.
func change(o *stablecoin.Options, edit func(c *stablecoin.Contract)) {
	c := o.Contract()
	edit(&c)
	o.SetContract(c)
}

// load returns everything that one Load yields.
func load(src sources.Source, prev sources.Revision) ([]sources.Entry, sources.Revision, error) {
	var entries []sources.Entry
	rev, err := src.Load(context.Background(), prev, func(e sources.Entry) error {
		entries = append(entries, e)
		return nil
	})
	return entries, rev, err
}

// listed returns the entries that have not ended as short text: "USDT 3" for person 3.
func listed(entries []sources.Entry) []string {
	all := []string{}
	for _, e := range entries {
		if e.Until.IsZero() {
			all = append(all, short(e))
		}
	}
	return all
}

func short(e sources.Entry) string {
	var n int
	fmt.Sscanf(e.Text(), "0x%x", &n)
	return e.Asset + fmt.Sprint(" ", n-0xabc000)
}

// TestEnded checks that an account that was unfrozen has an entry that ended, which a state
// file keeps, and that one that was frozen again is listed.
func TestEnded(t *testing.T) {
	c := eventful()
	o := options(c)
	o.StateFile = filepath.Join(t.TempDir(), "state")
	check := func(want ...string) {
		t.Helper()
		entries, _, err := load(frozenAt(endpoint, o), sources.Revision{})
		var got []string
		for _, e := range entries {
			if !e.Until.IsZero() {
				got = append(got, fmt.Sprint(short(e), " ", e.Until.After(e.ListedAt)))
			}
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("ended: %q, %v, want %q", got, err, want)
		}
	}
	check("USDT 3 true")
	check("USDT 3 true")
	c.head, c.final = 1100, 1100
	c.emit(1050, usdt, true, person(3))
	c.emit(1051, usdt, false, person(1))
	check("USDT 1 true", "USDT 3 true")
}

// eventful returns a chain with events of both forms.
func eventful() *chain {
	c := newChain(1000)
	c.emit(20, usdt, true, person(1))
	c.emit(300, usdt, true, person(2))
	c.emit(300, usdt, true, person(3))
	c.emit(300, usdt, true, person(5))
	indexed(c.emit(500, usdt, false, person(3)))
	indexed(c.emit(999, usdt, true, person(6)))
	return c
}

// later returns a chain with events behind the first block of the real contract.
func later() *chain {
	c := newChain(4_800_000)
	c.emit(4_700_000, usdt, true, person(5))
	return c
}

// indexed moves the account of a log from its data to its topics, as on some contracts.
func indexed(l map[string]any) {
	l["topics"], l["data"] = append(l["topics"].([]string), l["data"].(string)), "0x"
}

// whatIs are the accounts that eventful freezes.
var whatIs = []string{"USDT 1", "USDT 2", "USDT 5", "USDT 6"}

func TestSourceConforms(t *testing.T) {
	server := httptest.NewServer(eventful())
	defer server.Close()
	opts := options(eventful())
	opts.Client, opts.AllowHTTP = nil, true
	sourcetest.Run(t, func(*testing.T) sources.Source { return frozenAt(server.URL+"/key", opts) })
	t.Run("state file", func(t *testing.T) {
		sourcetest.Run(t, func(t *testing.T) sources.Source {
			opts := *opts
			opts.StateFile = filepath.Join(t.TempDir(), "state")
			return frozenAt(server.URL, &opts)
		})
	})
}

// TestTopics compares the topics of the events with those that block explorers
// show, and checks the spelling of the contracts' addresses by their letter
// case.
func TestTopics(t *testing.T) {
	for signature, want := range map[string][2]string{
		"AddedBlackList(address)":   {"0x42e16015", "819dc"},
		"RemovedBlackList(address)": {"0xd7e9ec6e", "470c"},
		"Blacklisted(address)":      {"0xffa4e618", ""},
		"UnBlacklisted(address)":    {"0x117e3210", ""},
	} {
		if got := stablecoin.Topic(signature); !strings.HasPrefix(got, want[0]) || !strings.HasSuffix(got, want[1]) || len(got) != 66 {
			t.Errorf("the topic of %s is %s, want %s…%s", signature, got, want[0], want[1])
		}
	}
}

func TestLoad(t *testing.T) {
	c := eventful()
	entries, rev, err := load(frozenAt(endpoint, options(c)), sources.Revision{})
	if err != nil {
		t.Fatal(err)
	}
	if got := listed(entries); !slices.Equal(got, whatIs) {
		t.Errorf("Load gave %q, want %q", got, whatIs)
	}
	first := sources.Entry{
		Address:  address.MustParse("ethereum", person(1)),
		Asset:    "USDT",
		Kind:     score.CommunityReport,
		Ref:      txHash(20, 0) + ":0",
		Name:     "Frozen by Tether",
		ListedAt: time.Unix(genesis+12*20, 0).UTC(),
	}
	if entries[0] != first {
		t.Errorf("the first entry is\n%+v, want\n%+v", entries[0], first)
	}
	asOf := time.Unix(genesis+12*1000, 0).UTC()
	if rev.Records != 6 || !rev.Checked.Equal(asOf) || !rev.Published.Equal(asOf) {
		t.Errorf("revision %+v, want 6 records, as of %v", rev, asOf)
	}
}

// TestDefaults checks the default requests: the whole history of the real contract, in final
// blocks.
func TestDefaults(t *testing.T) {
	c := newChain(14_500_000)
	c.final = c.head - 64
	c.emit(14_400_000, usdt, true, person(1))
	c.emit(c.head, usdt, true, person(2)) // not final
	src := stablecoin.Frozen("USDT", map[address.Chain]string{"ethereum": endpoint}, &stablecoin.Options{Client: c.client()})
	entries, _, err := load(src, sources.Revision{})
	if err != nil || len(entries) != 1 {
		t.Fatalf("Load gave %+v, %v, want one entry", entries, err)
	}
	next := uint64(4634748)
	for _, call := range c.calls {
		if call.Method != "eth_getLogs" {
			continue
		}
		filter := call.Params[0].(map[string]any)
		from, to := number(filter["fromBlock"]), number(filter["toBlock"])
		if from != next || to < from || to-from >= 50_000 || filter["address"] != usdt {
			t.Fatalf("asked for %v, want %v from block %d, 50000 blocks at most", filter, usdt, next)
		}
		next = to + 1
	}
	if next != c.final+1 {
		t.Errorf("asked up to block %d, want %d", next-1, c.final)
	}
}

func TestResume(t *testing.T) {
	c := eventful()
	src := frozenAt(endpoint, options(c))
	first, rev, err := load(src, sources.Revision{})
	if err != nil {
		t.Fatal(err)
	}
	c.calls = nil
	entries, again, err := load(src, rev)
	if !errors.Is(err, sources.ErrUnchanged) || entries != nil || again != rev || c.count("eth_getLogs") != 0 {
		t.Errorf("no new block: %v, %+v, %v after %d queries, want ErrUnchanged after none", entries, again, err, c.count("eth_getLogs"))
	}

	c.head, c.final = 1050, 1050
	entries, again, err = load(src, rev)
	if !errors.Is(err, sources.ErrUnchanged) || entries != nil || again.Digest != rev.Digest {
		t.Errorf("no new event: %v, %+v, %v, want ErrUnchanged", entries, again, err)
	}
	if want := time.Unix(genesis+12*1050, 0).UTC(); !again.Checked.Equal(want) {
		t.Errorf("no new event: checked %v, want %v", again.Checked, want)
	}
	if entries, _, err := load(src, sources.Revision{}); err != nil || !slices.Equal(entries, first) {
		t.Errorf("a caller who holds nothing gets %q, %v, want the whole list, %q", listed(entries), err, listed(first))
	}

	c.emit(1060, usdt, false, person(1))
	c.emit(1060, usdt, true, person(1)) // again, and later
	c.emit(1062, usdt, true, person(6)) // is listed already
	c.emit(1063, usdt, false, person(9))
	c.emit(1064, usdt, true, person(3))
	c.head, c.final, c.calls = 1100, 1100, nil
	entries, again, err = load(src, rev)
	want := []string{"USDT 2", "USDT 5", "USDT 6", "USDT 1", "USDT 3"}
	if err != nil || !slices.Equal(listed(entries), want) || again.Records != rev.Records+5 {
		t.Errorf("new events: %q, %+v, %v, want %q", listed(entries), again, err, want)
	}
	if n := c.count("eth_getLogs"); n != 1 {
		t.Errorf("new events took %d queries, want 1", n)
	}

	fresh, freshRev, err := load(frozenAt(endpoint, options(c)), sources.Revision{})
	if err != nil || !slices.Equal(fresh, entries) || freshRev != again {
		t.Errorf("a new source gives %q, %+v, %v, want the same, %q, %+v", listed(fresh), freshRev, err, want, again)
	}
}

// TestDigest checks that the digest covers the fields of entries.
func TestDigest(t *testing.T) {
	digests := map[string]string{}
	for name, edit := range map[string]func(o *stablecoin.Options){
		"plain":          func(*stablecoin.Options) {},
		"another issuer": func(o *stablecoin.Options) { change(o, func(c *stablecoin.Contract) { c.Issuer = "Circle" }) },
		"another start":  func(o *stablecoin.Options) { change(o, func(c *stablecoin.Contract) { c.FirstBlock++ }) },
		"another range":  func(o *stablecoin.Options) { o.SetMaxRange(7) },
	} {
		opts := options(eventful())
		edit(opts)
		_, rev, err := load(frozenAt(endpoint, opts), sources.Revision{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		digests[rev.Digest] += name + ", "
	}
	if len(digests) != 2 { // how it is read does not count
		t.Errorf("lists of equal digests: %q", digests)
	}
}

// TestNoHistory uses a node that has lost the logs, and then one that has them: the blocks that the
// first one has answered for are read again.
func TestNoHistory(t *testing.T) {
	for _, file := range []bool{false, true} {
		c := eventful()
		opts := options(c)
		if file {
			opts.StateFile = filepath.Join(t.TempDir(), "state")
		}
		src := frozenAt(endpoint, opts)
		logs := c.logs
		c.logs = nil
		if got, _, err := load(src, sources.Revision{}); err == nil || got != nil {
			t.Errorf("without logs: %q, %v, want an error", listed(got), err)
		}
		if file {
			src = frozenAt(endpoint, opts) // another program
		}
		c.logs, c.head, c.final = logs, 1001, 1001
		if got, _, err := load(src, sources.Revision{}); err != nil || !slices.Equal(listed(got), whatIs) {
			t.Errorf("with logs: %q, %v, want %q", listed(got), err, whatIs)
		}
	}
}

// TestBehind uses a node that is behind the node used before.
func TestBehind(t *testing.T) {
	c := eventful()
	src := frozenAt(endpoint, options(c))
	want, rev, err := load(src, sources.Revision{})
	if err != nil {
		t.Fatal(err)
	}
	c.final = 900
	entries, again, err := load(src, sources.Revision{})
	if err != nil || !slices.Equal(entries, want) || again != rev {
		t.Errorf("a node whose last final block is an older one: %q, %+v, %v, want the list as it was", listed(entries), again, err)
	}
}

// TestAhead uses a node that names a final block which does not exist yet, or is one of a copy of the chain. What
// happens up to that block is read when another node names it.
func TestAhead(t *testing.T) {
	c := eventful()
	c.head, c.final = 5000, 5000
	opts := options(c)
	opts.StateFile = filepath.Join(t.TempDir(), "state")
	if _, _, err := load(frozenAt(endpoint, opts), sources.Revision{}); err != nil {
		t.Fatal(err)
	}
	src := frozenAt(endpoint, opts) // another program
	for _, step := range []struct {
		final uint64
		want  string
	}{{900, "1 2 5 6"}, {1100, "1 2 5 6 7"}, {950, "1 2 5 6 7"}, {1049, "1 2 5 6 7"}, {1300, "1 2 5 6 7 8"}} {
		c.final = step.final
		switch step.final {
		case 1100:
			c.emit(1050, usdt, true, person(7))
		case 1300:
			c.emit(1200, usdt, true, person(8))
		}
		entries, _, err := load(src, sources.Revision{})
		if got := strings.ReplaceAll(strings.Join(listed(entries), " "), "USDT ", ""); err != nil || got != step.want {
			t.Errorf("up to block %d: %s, %v, want %s", step.final, got, err, step.want)
		}
	}
	want, _, err := load(frozenAt(endpoint, options(c)), sources.Revision{})
	if got, _, lerr := load(src, sources.Revision{}); err != nil || lerr != nil || !slices.Equal(got, want) {
		t.Errorf("%+v, %v, want as read at once: %+v, %v", got, lerr, want, err)
	}
}

// TestTimes uses a node whose logs lack the times of their blocks.
func TestTimes(t *testing.T) {
	want, _, err := load(frozenAt(endpoint, options(eventful())), sources.Revision{})
	if err != nil {
		t.Fatal(err)
	}
	c := eventful()
	for _, l := range c.logs {
		delete(l, "blockTimestamp")
	}
	got, _, err := load(frozenAt(endpoint, options(c)), sources.Revision{})
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("Load gave %+v, %v, want %+v", got, err, want)
	}
	if n := c.count("eth_getBlockByNumber"); n != 1+6 {
		t.Errorf("%d blocks were asked for, want the last and one for each event", n)
	}
}

// TestModel compares the list with a simple model: the last event of each
// account decides. The chain grows while it is read, and its node refuses long
// ranges.
func TestModel(t *testing.T) {
	const seed = 7
	rnd := rand.New(rand.NewPCG(seed, seed))
	for range longtest.N(3, 20) {
		c := newChain(0)
		c.maxRange = 1 + rnd.Uint64N(40)
		src := frozenAt(endpoint, options(c))
		model := map[string]bool{}
		for block := uint64(15); block < 600; block++ {
			for range rnd.IntN(3) {
				added, n := rnd.IntN(2) == 0, rnd.IntN(6)
				model[fmt.Sprint("USDT ", n)] = added
				if l := c.emit(block, usdt, added, person(n)); rnd.IntN(2) == 0 {
					indexed(l)
				}
			}
			c.head, c.final = block, block
			if block < 100 || rnd.IntN(20) > 0 {
				continue
			}
			entries, _, err := load(src, sources.Revision{})
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for name, is := range model {
				if is {
					want = append(want, name)
				}
			}
			got := listed(entries)
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d, block %d: Load gave %q, want %q", seed, block, got, want)
			}
		}
	}
}

// TestRanges uses nodes that refuse long ranges of blocks in different ways.
func TestRanges(t *testing.T) {
	want, _, err := load(frozenAt(endpoint, options(eventful())), sources.Revision{})
	if err != nil {
		t.Fatal(err)
	}
	blanks := strings.Repeat(" ", 1<<20)
	status := func(code int) func(http.ResponseWriter, call) {
		return func(w http.ResponseWriter, _ call) { http.Error(w, "too much", code) }
	}
	for _, tt := range []struct {
		name   string
		refuse func(w http.ResponseWriter, c call)
	}{
		{"an error", func(w http.ResponseWriter, c call) {
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32005,"message":"more than 10000 results"}}`, c.ID)
		}},
		{"an error with a status", func(w http.ResponseWriter, c call) {
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"up to a 10 block range"}}`)
		}},
		{"400", status(http.StatusBadRequest)},
		{"413", status(http.StatusRequestEntityTooLarge)},
		{"504", status(http.StatusGatewayTimeout)},
		{"a huge answer", func(w http.ResponseWriter, c call) {
			fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":[`, c.ID)
			for range 33 {
				io.WriteString(w, blanks)
			}
			io.WriteString(w, "]}")
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := eventful()
				c.serve = func(w http.ResponseWriter, req call) bool {
					if req.Method != "eth_getLogs" {
						return false
					}
					filter := req.Params[0].(map[string]any)
					from, to := number(filter["fromBlock"]), number(filter["toBlock"])
					if from > 200 || to-from < 40 {
						return false
					}
					tt.refuse(w, req)
					return true
				}
				got, _, err := load(frozenAt(endpoint, options(c)), sources.Revision{})
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("Load gave %q, %v, want %q", listed(got), err, listed(want))
				}
			})
		})
	}

	// A node that is busy, or that refuses the caller, is not asked for less at once.
	for _, code := range []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests, http.StatusServiceUnavailable} {
		synctest.Test(t, func(t *testing.T) {
			c := eventful()
			c.serve = func(w http.ResponseWriter, req call) bool {
				if req.Method == "eth_getLogs" {
					w.WriteHeader(code)
				}
				return req.Method == "eth_getLogs"
			}
			if got, _, err := load(frozenAt(endpoint, options(c)), sources.Revision{}); err == nil || got != nil || c.count("eth_getLogs") > 4 {
				t.Errorf("status %d: %q, %v after %d queries, want an error after 4 at most", code, listed(got), err, c.count("eth_getLogs"))
			}
		})
	}

	t.Run("everything", func(t *testing.T) {
		c := eventful()
		c.answer = func(req call) map[string]any {
			if req.Method == "eth_getLogs" {
				return failure(-32005, "no")
			}
			return nil
		}
		got, _, err := load(frozenAt(endpoint, options(c)), sources.Revision{})
		if err == nil || got != nil || !strings.Contains(err.Error(), "-32005") || c.count("eth_getLogs") != 7 {
			t.Errorf("Load gave %q, %v after %d queries, want the error of the node after halving 100 down to 1", listed(got), err, c.count("eth_getLogs"))
		}
	})
}

// TestInterrupted checks that a Load that breaks off adds nothing, and that the
// next one continues where it stopped.
func TestInterrupted(t *testing.T) {
	for _, file := range []bool{false, true} {
		c := eventful()
		want, _, err := load(frozenAt(endpoint, options(c)), sources.Revision{})
		if err != nil {
			t.Fatal(err)
		}
		opts := options(c)
		if file {
			opts.StateFile = filepath.Join(t.TempDir(), "state")
		}
		ctx, cancel := context.WithCancel(t.Context())
		c.answer = func(req call) map[string]any {
			if req.Method == "eth_getLogs" && number(req.Params[0].(map[string]any)["fromBlock"]) > 500 {
				cancel()
			}
			return nil
		}
		src := frozenAt(endpoint, opts)
		n := 0
		rev, err := src.Load(ctx, sources.Revision{}, func(sources.Entry) error { n++; return nil })
		if !errors.Is(err, context.Canceled) || n > 0 || !rev.IsZero() {
			t.Errorf("a Load that was interrupted gave %d entries, %+v, %v, want none, and context.Canceled", n, rev, err)
		}
		if file {
			src = frozenAt(endpoint, opts) // another program
		}
		c.calls, c.answer = nil, nil
		got, _, err := load(src, sources.Revision{})
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("the next Load gave %q, %v, want %q", listed(got), err, listed(want))
		}
		for _, call := range c.calls {
			if call.Method == "eth_getLogs" {
				if from := number(call.Params[0].(map[string]any)["fromBlock"]); from <= 500 {
					t.Errorf("block %d was read again", from)
				}
			}
		}
	}
}

func TestStateFile(t *testing.T) {
	c := eventful()
	opts := options(c)
	opts.StateFile = filepath.Join(t.TempDir(), "state")
	want, wantRev, err := load(frozenAt(endpoint, opts), sources.Revision{})
	if err != nil {
		t.Fatal(err)
	}
	file := opts.StateFile
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(good), "node.example") {
		t.Error("the file names the endpoint")
	}
	// again reports whether a new program reads the chain again.
	again := func(opts *stablecoin.Options) bool {
		t.Helper()
		c.calls = nil
		got, rev, err := load(frozenAt(endpoint, opts), sources.Revision{})
		if err != nil || !slices.Equal(got, want) || rev != wantRev {
			t.Fatalf("Load gave %q, %+v, %v, want %q, %+v", listed(got), rev, err, listed(want), wantRev)
		}
		return c.count("eth_getLogs") > 0
	}
	if again(opts) {
		t.Error("the chain was read again, though there is a file")
	}
	for n := 0; n < len(good); n += longtest.Step(97, 29) {
		if err := os.WriteFile(file, good[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if !again(opts) {
			t.Fatalf("the first %d of %d bytes of the file were used", n, len(good))
		}
	}
	damaged := map[string]string{
		"empty":         "",
		"cut short":     string(good[:len(good)-20]),
		"without a sum": string(good[65:]),
		"one digit":     strings.Replace(string(good), person(1)[2:], person(9)[2:], 1),
		"a line more":   string(good) + "\n",
		"no file":       "none",
	}
	for name, text := range damaged {
		if text == "none" {
			os.Remove(file)
		} else if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if !again(opts) {
			t.Errorf("%s: the file was used", name)
		}
		if text, err := os.ReadFile(file); err != nil || string(text) != string(good) {
			t.Errorf("%s: the file was not written again: %v", name, err)
		}
	}
	other := *opts
	change(&other, func(c *stablecoin.Contract) { c.FirstBlock-- })
	if !again(&other) {
		t.Error("the file of other options was used")
	}

	opts.StateFile = filepath.Join(t.TempDir(), "missing", "state")
	if got, _, err := load(frozenAt(endpoint, opts), sources.Revision{}); err == nil || got != nil {
		t.Errorf("a file that cannot be written: %q, %v, want an error", listed(got), err)
	}
	opts.StateFile = filepath.Join(t.TempDir(), "state")
	if err := os.Mkdir(opts.StateFile, 0o700); err != nil {
		t.Fatal(err)
	}
	if got, _, err := load(frozenAt(endpoint, opts), sources.Revision{}); err == nil || got != nil {
		t.Errorf("a file that cannot be read: %q, %v, want an error", listed(got), err)
	}
}

func TestBadOptions(t *testing.T) {
	for _, tt := range []struct {
		name     string
		endpoint string
		edit     func(c *stablecoin.Contract)
	}{
		{"no endpoint", "", func(*stablecoin.Contract) {}},
		{"no address", "://0123456789abcdef", func(*stablecoin.Contract) {}},
		{"no https", "http" + strings.TrimPrefix(endpoint, "https"), func(*stablecoin.Contract) {}},
		{"short contract", endpoint, func(c *stablecoin.Contract) { c.Address = usdt[:40] }},
		{"unknown chain", endpoint, func(c *stablecoin.Contract) { c.Chain = "nosuch" }},
		{"chain without EVM", endpoint, func(c *stablecoin.Contract) { c.Chain = "bitcoin" }},
		{"another chain", endpoint, func(c *stablecoin.Contract) { c.Chain = "polygon" }},
		{"first block to come", endpoint, func(c *stablecoin.Contract) { c.FirstBlock = 5000 }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			opts := options(eventful())
			change(opts, tt.edit)
			got, rev, err := load(frozenAt(tt.endpoint, opts), sources.Revision{})
			if err == nil || got != nil || !rev.IsZero() {
				t.Errorf("Load gave %q, %+v, %v, want an error", listed(got), rev, err)
			}
			noSecret(t, err)
		})
	}
}

func noSecret(t *testing.T, err error) {
	t.Helper()
	for _, s := range secrets {
		if err != nil && strings.Contains(err.Error(), s) {
			t.Errorf("the error %q shows %q", err, s)
		}
	}
}

// TestOtherChain reads a contract on a chain other than Ethereum.
func TestOtherChain(t *testing.T) {
	c := eventful()
	c.id = 137
	opts := options(c)
	change(opts, func(c *stablecoin.Contract) { c.Chain = "polygon" })
	got, _, err := load(frozenAt(endpoint, opts), sources.Revision{})
	if err != nil || len(listed(got)) != 4 || got[0].Address.Chain() != "polygon" {
		t.Errorf("Load gave %+v, %v, want four accounts of polygon", got, err)
	}
}

// TestHostile uses a node that returns wrong or malformed responses, and checks
// that none of them makes a list.
func TestHostile(t *testing.T) {
	method := func(name string, change func(answer map[string]any)) func(c *chain) {
		return func(c *chain) {
			c.answer = func(req call) map[string]any {
				if req.Method != name {
					return nil
				}
				answer := c.respond(req)
				change(answer)
				return answer
			}
		}
	}
	set := func(key string, value any) func(map[string]any) {
		return func(answer map[string]any) { answer[key] = value }
	}
	field := func(key string, value any) func(map[string]any) {
		return func(answer map[string]any) { answer["result"].(map[string]any)[key] = value }
	}
	body := func(name, format string) func(c *chain) {
		return func(c *chain) {
			c.serve = func(w http.ResponseWriter, req call) bool {
				if req.Method == name {
					io.WriteString(w, strings.ReplaceAll(format, "ID", string(req.ID)))
				}
				return req.Method == name
			}
		}
	}
	log := func(change func(l map[string]any)) func(c *chain) {
		return func(c *chain) { change(c.logs[3]) }
	}
	logs := func(edit func(logs []any) []any) func(c *chain) {
		return method("eth_getLogs", func(answer map[string]any) { answer["result"] = edit(answer["result"].([]any)) })
	}
	for _, tt := range []struct {
		name  string
		spoil func(c *chain)
	}{
		{"no JSON", body("eth_getLogs", "<html>")},
		{"nothing", body("eth_getLogs", "")},
		{"cut short", body("eth_getLogs", `{"jsonrpc":"2.0","id":ID,"result":[{"addr`)},
		{"another document behind", body("eth_getLogs", `{"jsonrpc":"2.0","id":ID,"result":[]}{}`)},
		{"an array", body("eth_getLogs", `[{"jsonrpc":"2.0","id":ID,"result":[]}]`)},
		{"no version", body("eth_getLogs", `{"id":ID,"result":[]}`)},
		{"no id", body("eth_getLogs", `{"jsonrpc":"2.0","result":[]}`)},
		{"id as a string", body("eth_getLogs", `{"jsonrpc":"2.0","id":"ID","result":[]}`)},
		{"no result", body("eth_getLogs", `{"jsonrpc":"2.0","id":ID}`)},
		{"too deep", body("eth_getLogs", `{"jsonrpc":"2.0","id":ID,"result":`+strings.Repeat("[", 20000))},
		{"id of another call", method("eth_getLogs", set("id", 999999))},
		{"result null", method("eth_getLogs", set("result", nil))},
		{"result no array", method("eth_getLogs", set("result", map[string]any{}))},
		{"result of strings", method("eth_getLogs", set("result", []any{"0x"}))},
		{"result of nulls", method("eth_getLogs", set("result", []any{nil}))},
		{"error beside a result", method("eth_getLogs", set("error", map[string]any{"code": 1, "message": "no"}))},

		{"never an event", logs(func([]any) []any { return []any{} })},
		{"log of another block than asked", logs(func(logs []any) []any { return append(logs, eventful().logs[5]) })},
		{"log of another topic", logs(func(l []any) []any {
			for _, l := range l {
				l.(map[string]any)["topics"] = []string{stablecoin.Topic("Transfer(address,address,uint256)")}
			}
			return l
		})},
		{"log of another contract", logs(func(l []any) []any {
			for _, l := range l {
				l.(map[string]any)["address"] = person(8)
			}
			return l
		})},
		{"log twice", logs(func(l []any) []any { return append(l, l...) })},
		{"log removed", log(func(l map[string]any) { l["removed"] = true })},
		{"log without a block", logs(func(l []any) []any {
			for i := range l {
				l[i] = maps.Clone(l[i].(map[string]any))
				delete(l[i].(map[string]any), "blockNumber")
			}
			return l
		})},
		{"log without a transaction", log(func(l map[string]any) { delete(l, "transactionHash") })},
		{"log without an index", log(func(l map[string]any) { delete(l, "logIndex") })},
		{"log without data", log(func(l map[string]any) { delete(l, "data") })},
		{"data a digit short", log(func(l map[string]any) { l["data"] = l["data"].(string)[:65] })},
		{"data a word long", log(func(l map[string]any) { l["data"] = l["data"].(string) + word(person(2)) })},
		{"data no address", log(func(l map[string]any) { l["data"] = "0x1" + l["data"].(string)[3:] })},
		{"data no hex", log(func(l map[string]any) { l["data"] = "0xzz" + l["data"].(string)[4:] })},
		{"data without 0x", log(func(l map[string]any) { l["data"] = l["data"].(string)[2:] })},
		{"data and an indexed address", log(func(l map[string]any) { l["topics"] = append(l["topics"].([]string), "0x"+word(person(1))) })},
		{"index no number", log(func(l map[string]any) { l["logIndex"] = "0x" })},
		{"index with a sign", log(func(l map[string]any) { l["logIndex"] = "0x+1" })},
		{"index a number", log(func(l map[string]any) { l["logIndex"] = 1 })},
		{"time beyond time", log(func(l map[string]any) { l["blockTimestamp"] = "0xffffffffff" })},

		{"another chain", method("eth_chainId", set("result", "0x89"))},
		{"chain id null", method("eth_chainId", set("result", nil))},
		{"chain id a number", method("eth_chainId", set("result", 1))},
		{"no final block", method("eth_getBlockByNumber", set("result", nil))},
		{"block without a time", method("eth_getBlockByNumber", field("timestamp", nil))},
		{"block beyond counting", method("eth_getBlockByNumber", field("number", "0xffffffffffffffff"))},
		{"block of the far future", method("eth_getBlockByNumber", field("timestamp", "0xffffffffffff"))},
		{"method not known", func(c *chain) {
			c.answer = func(call) map[string]any { return failure(-32601, "no such method") }
		}},
		{"too many calls", func(c *chain) {
			c.answer = func(call) map[string]any { return failure(429, "slow down") }
		}},
		{"key not known", func(c *chain) {
			c.answer = func(call) map[string]any {
				return failure(-32000, "https://node.example/v3/0123456789abcdef?token=feedbeef: unknown key")
			}
		}},
		{"forbidden", func(c *chain) {
			c.serve = func(w http.ResponseWriter, _ call) bool { w.WriteHeader(http.StatusForbidden); return true }
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := eventful()
				tt.spoil(c)
				got, rev, err := load(frozenAt(endpoint, options(c)), sources.Revision{})
				if err == nil || got != nil || !rev.IsZero() {
					t.Fatalf("Load gave %q, %+v, %v, want an error", listed(got), rev, err)
				}
				t.Log(err)
				noSecret(t, err)
			})
		})
	}
}

// TestUnsorted uses a node that returns logs in any order.
func TestUnsorted(t *testing.T) {
	c := eventful()
	want, _, err := load(frozenAt(endpoint, options(c)), sources.Revision{})
	if err != nil {
		t.Fatal(err)
	}
	slices.Reverse(c.logs)
	opts := options(c)
	opts.SetMaxRange(1000)
	got, _, err := load(frozenAt(endpoint, opts), sources.Revision{})
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("Load gave %q, %v, want %q", listed(got), err, listed(want))
	}
}

// TestRetry uses a node that fails temporarily. It runs with a fake clock,
// because there are pauses between the calls.
func TestRetry(t *testing.T) {
	want, _, err := load(frozenAt(endpoint, options(eventful())), sources.Revision{})
	if err != nil {
		t.Fatal(err)
	}
	answer := func(code int, header, text string) func(*http.Request) (*http.Response, error) {
		return func(r *http.Request) (*http.Response, error) {
			resp := &http.Response{StatusCode: code, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(text)), Request: r}
			if header != "" {
				resp.Header.Set("Retry-After", header)
			}
			return resp, nil
		}
	}
	for _, tt := range []struct {
		name  string
		fail  func(*http.Request) (*http.Response, error)
		least time.Duration // that a Load then takes
	}{
		{"500", answer(500, "", "oh"), time.Second},
		{"503", answer(503, "90", "oh"), 90 * time.Second},
		{"503 until a date", answer(503, time.Date(2000, 1, 1, 0, 1, 0, 0, time.UTC).Format(http.TimeFormat), "oh"), time.Minute},
		{"403", answer(403, "", "oh"), time.Second},
		{"429", answer(429, "100", "oh"), 100 * time.Second},
		{"429 in JSON", answer(200, "", `{"jsonrpc":"2.0","id":null,"error":{"code":429,"message":"slow down"}}`), time.Second},
		{"cut short", answer(200, "", `{"jsonrpc":"2.0","id":1,"res`), time.Second},
		{"no connection", func(*http.Request) (*http.Response, error) { return nil, errors.New("connection refused") }, time.Second},
		{"connection breaks", func(r *http.Request) (*http.Response, error) {
			body := io.MultiReader(strings.NewReader(`{"jsonrpc"`), iotest.ErrReader(io.ErrUnexpectedEOF))
			return &http.Response{StatusCode: 200, Body: io.NopCloser(body), Request: r}, nil
		}, time.Second},
		{"no answer", func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}, 2 * time.Minute},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := eventful()
				fails := 2
				opts := options(c)
				opts.Client = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
					if fails--; fails >= 0 {
						return tt.fail(r)
					}
					return transport{c}.RoundTrip(r)
				})}
				start := time.Now()
				got, _, err := load(frozenAt(endpoint, opts), sources.Revision{})
				if took := time.Since(start); err != nil || !slices.Equal(got, want) || took < tt.least {
					t.Errorf("Load gave %q, %v after %v, want %q after %v at least", listed(got), err, took, listed(want), tt.least)
				}
				fails = 1000
				got, _, err = load(frozenAt(endpoint, opts), sources.Revision{})
				if err == nil || got != nil || fails != 1000-4 {
					t.Errorf("a node that is down: %q, %v after %d attempts, want an error after 4", listed(got), err, 1000-fails)
				}
				noSecret(t, err)
			})
		})
	}
	t.Run("asks for too much patience", func(t *testing.T) {
		opts := options(eventful())
		n := 0
		opts.Client = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			n++
			return answer(429, "3600", "")(r)
		})}
		if _, _, err := load(frozenAt(endpoint, opts), sources.Revision{}); err == nil || n != 1 {
			t.Errorf("error %v after %d attempts, want one, after 1", err, n)
		}
	})
	t.Run("context ends between attempts", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			opts := options(eventful())
			opts.Client = &http.Client{Transport: roundTrip(answer(503, "60", ""))}
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			start := time.Now()
			_, err := frozenAt(endpoint, opts).Load(ctx, sources.Revision{}, func(sources.Entry) error { return nil })
			if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took != 10*time.Second {
				t.Errorf("error %v after %v, want %v after 10s", err, took, context.DeadlineExceeded)
			}
		})
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestRedirect checks that a call, whose address may have a key in it, follows no redirect.
func TestRedirect(t *testing.T) {
	c := eventful()
	opts := options(c)
	opts.Client = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		if r.URL.Host != "node.example" {
			t.Errorf("a request to %s", r.URL.Host)
			return transport{c}.RoundTrip(r)
		}
		header := http.Header{"Location": {"https://other.example/0123456789abcdef"}}
		return &http.Response{StatusCode: http.StatusTemporaryRedirect, Header: header, Body: http.NoBody, Request: r}, nil
	})}
	got, _, err := load(frozenAt(endpoint, opts), sources.Revision{})
	if err == nil || got != nil {
		t.Errorf("Load gave %q, %v, want an error", listed(got), err)
	}
	noSecret(t, err)
}

// TestErrorsHideEndpoint checks errors of the network stack that contain the
// URL.
func TestErrorsHideEndpoint(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opts := options(eventful())
		opts.Client = &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			return nil, fmt.Errorf("cannot reach %s as passw0rd", r.URL.Path)
		})}
		for _, at := range []string{endpoint, "https://node.example/0123456789abcdef", "https://node.example"} {
			_, _, err := load(frozenAt(at, opts), sources.Revision{})
			if err == nil || !strings.Contains(err.Error(), "cannot reach") {
				t.Errorf("error %v, want that of the transport", err)
			}
			if at == endpoint {
				noSecret(t, err)
			}
		}
	})
}
