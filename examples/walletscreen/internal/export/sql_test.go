package export

import (
	"crypto/ed25519"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/base58"
	"github.com/walletscreen/walletscreen/internal/bech32"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// document returns sql.md.
func document(t *testing.T) string {
	t.Helper()
	doc, err := os.ReadFile("../../docs/sql.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(doc)
}

// statements returns the statements of sql.md by name.
func statements(t *testing.T) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, block := range strings.Split(document(t), "```sql\n")[1:] {
		block, _, _ = strings.Cut(block, "```")
		first, rest, _ := strings.Cut(block, "\n")
		name, ok := strings.CutPrefix(first, "-- name: ")
		if !ok || all[name] != "" {
			t.Fatalf("a statement of sql.md begins with %q", first)
		}
		all[name] = rest
	}
	return all
}

// A world is random lists and customers.
type world struct {
	rng  *rand.Rand
	keys map[string][]byte              // hash of the key that an address of bitcoin with a 3 wraps
	all  map[address.Address][]spelling // of the accounts and keys of listed addresses
}

func newWorld(seed1, seed2 uint64) world {
	return world{rand.New(rand.NewPCG(seed1, seed2)), make(map[string][]byte), make(map[address.Address][]spelling)}
}

func (w world) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(w.rng.Uint32())
	}
	return b
}

func (w world) ed25519() []byte { return ed25519.NewKeyFromSeed(w.bytes(32))[32:] }

// kinds are the addresses of a world: the weight of a kind, and a random address.
var kinds = []struct {
	weight int
	write  func(w world) (address.Chain, string)
}{
	{50, func(w world) (address.Chain, string) {
		return evmChains[w.rng.IntN(len(evmChains))], "0x" + hex.EncodeToString(w.bytes(20))
	}},
	{15, func(w world) (address.Chain, string) { return "tron", bitcoinCheck("41")(w.bytes(20)) }},
	{5, func(w world) (address.Chain, string) { return "bitcoin", bitcoinCheck("00")(w.bytes(20)) }},
	{5, func(w world) (address.Chain, string) {
		key := w.bytes(20)
		wrapped := address.MustParse("bitcoin", bech32Of("bc", bech32.Bech32, "\x00", "")(key))
		text := bitcoinCheck("05")(wrapped.AppendKeys(nil)[1].AppendBytes(nil))
		w.keys[text] = key
		return "bitcoin", text
	}},
	{10, func(w world) (address.Chain, string) {
		return "bitcoin", bech32Of("bc", bech32.Bech32, "\x00", "")(w.bytes(20))
	}},
	{2, func(w world) (address.Chain, string) {
		return "bitcoin", bech32Of("bc", bech32.Bech32, "\x00", "")(w.bytes(32))
	}},
	{2, func(w world) (address.Chain, string) {
		return "bitcoin", bech32Of("bc", bech32.Bech32m, "\x01", "")(w.bytes(32))
	}},
	{2, func(w world) (address.Chain, string) { return "bitcoin-cash", cashAddr("bitcoincash", 0)(w.bytes(20)) }},
	{2, func(w world) (address.Chain, string) { return "litecoin", bitcoinCheck("32")(w.bytes(20)) }},
	{3, func(w world) (address.Chain, string) { return "solana", base58.Bitcoin.Encode(w.ed25519()) }},
	{3, func(w world) (address.Chain, string) {
		return "xrp", base58Check(base58.Ripple, "00", sha256d)(w.bytes(20))
	}},
	{2, func(w world) (address.Chain, string) { return "stellar", stellar(w.ed25519()) }},
	{2, func(w world) (address.Chain, string) {
		return "cosmos", bech32Of("cosmos", bech32.Bech32, "", "")(w.bytes(20))
	}},
	{1, func(w world) (address.Chain, string) { return "polkadot", ss58(0)(w.bytes(32)) }},
	{1, func(w world) (address.Chain, string) { return "ton", "0:" + hex.EncodeToString(w.bytes(32)) }},
	{1, func(w world) (address.Chain, string) {
		return "cardano", bech32Of("addr", bech32.Bech32, "", "\x01")(w.bytes(56)) // payment and stake key
	}},
}

// address returns a random address.
func (w world) address() address.Address {
	total := 0
	for _, k := range kinds {
		total += k.weight
	}
	n := w.rng.IntN(total)
	for _, k := range kinds {
		if n -= k.weight; n < 0 {
			for {
				if a, err := address.Parse(k.write(w)); err == nil {
					return a // only a few of Ed25519 are not valid
				}
			}
		}
	}
	panic("unreachable")
}

// entries returns n entries. Some say several things of one account, or the same
// of several.
func (w world) entries(n int) []sources.Entry {
	all := make([]sources.Entry, n)
	for i := range all {
		e := sources.Entry{
			Address: w.address(), Kind: score.Sanctioned, Ref: fmt.Sprint(i / 2), Name: fmt.Sprintf("entity %d, \"O'Neill\" \\ é", i/2),
			EntityListedAt: time.Date(2020, 1, 1+i%500, 0, 0, 0, 0, time.UTC), FirstSeen: time.Date(2022, 1, 1+i%50, 0, 0, 0, 0, time.UTC),
		}
		if i%3 == 0 {
			e.NotListedOn = time.Date(2021, 1, 1+i%400, 0, 0, 0, 0, time.UTC)
		}
		if i > 0 && i%10 == 0 { // another listing of an account
			e.Address = all[i-1].Address
			if a, err := address.Parse("polygon", e.Address.Normalized()); err == nil {
				e.Address = a
			}
		}
		all[i] = e
	}
	return all
}

// match returns a customer whom one of the entries matches, spelled in one of
// the ways that have rows.
func (w world) match(entries []sources.Entry) (address.Chain, string) {
	for {
		a := entries[w.rng.IntN(len(entries))].Address
		all, ok := w.all[a]
		if !ok {
			all = ofAccount(a)
			for _, k := range a.AppendKeys(nil) {
				all = append(all, ofKey(k)...)
			}
			w.all[a] = all
		}
		s := all[w.rng.IntN(len(all))]
		b, err := address.Normalize(s.chain, s.text)
		if err != nil {
			continue
		}
		if isEVM(b) && s.chain != "near" && s.chain != "hedera" {
			s.chain = evmChains[w.rng.IntN(len(evmChains))]
		}
		if w.rng.IntN(2) == 0 && anyCase(b, s.text) {
			s.text = strings.ToUpper(s.text)
		}
		return s.chain, s.text
	}
}

// The kinds of customers whom a join does not find.
const (
	withTag = "X-address with a tag"
	muxed   = "muxed address"
	base    = "base address with another stake key"
	pointer = "pointer address"
	wrapped = "address of a wrapped key"
)

// hidden returns a customer whom an entry matches, with an address that no row
// has.
func (w world) hidden(entries []sources.Entry) (kind string, chain address.Chain, text string) {
	for {
		a := entries[w.rng.IntN(len(entries))].Address
		k, _ := a.Key()
		key := k.AppendBytes(nil)
		switch a.Chain() {
		case "bitcoin":
			if key := w.keys[a.Normalized()]; key != nil {
				if w.rng.IntN(2) == 0 {
					return wrapped, "bitcoin", bitcoinCheck("00")(key)
				}
				return wrapped, "bitcoin", bech32Of("bc", bech32.Bech32, "\x00", "")(key)
			}
		case "xrp":
			tail := binary.LittleEndian.AppendUint32([]byte{1}, w.rng.Uint32())
			return withTag, "xrp", suffixed(base58Check(base58.Ripple, "0544", sha256d), hex.EncodeToString(append(tail, 0, 0, 0, 0)))(key)
		case "stellar":
			b := append(append([]byte{12 << 3}, key...), w.bytes(8)...)
			return muxed, "stellar", noPadding.EncodeToString(binary.LittleEndian.AppendUint16(b, crc16(b)))
		case "cardano":
			if w.rng.IntN(3) == 0 {
				return pointer, "cardano", bech32Of("addr", bech32.Bech32, "", "\x41")(append(key, byte(w.rng.IntN(128)), 2, 3))
			}
			return base, "cardano", bech32Of("addr", bech32.Bech32, "", "\x01")(append(key, w.bytes(28)...))
		}
	}
}

type customer struct {
	address address.Address
	text    string
}

// joinable reports what validate -in prints in the column of that name.
func (c customer) joinable() bool { return c.text == c.address.Normalized() && Joins(c.address) }

// TestSQL runs the statements of sql.md, and compares each customer's labels and
// verdict with ScreenAll's. In the long test PostgreSQL has a million customers and the bundled
// lists too, SQLite 50,000 customers.
func TestSQL(t *testing.T) { onEach(t, testSQL) }

func testSQL(t *testing.T, db database) {
	w := newWorld(18, 0)
	n := longtest.N(10_000, 1_000_000)
	made := longtest.N(300, 3000)
	if db.sqlite {
		n, made = min(n, 50_000), min(made, 1000)
	}
	entries := w.entries(made)
	if longtest.Enabled() && !db.sqlite {
		entries = append(entries, bundled(t)...)
	}
	for i := range entries {
		entries[i].Kind = score.Sanctioned
	}
	later := slices.Clone(entries)
	later = append(later[:100], later[150:]...) // 50 are delisted
	for i := range 30 {
		later[200+i].Name += ", also known as X"
	}
	later = append(later, w.entries(50)...)

	// One in 33 matches, and one in a thousand in a way in which only decoding finds.
	customers := make([]customer, n)
	other := world{newWorld(18, 1).rng, w.keys, w.all} // so that the counts do not follow the bundled lists
	hidden, kindsHidden := map[int]bool{}, map[string]int{}
	for i := range customers {
		var chain address.Chain
		var text string
		switch {
		case i%1000 == 1:
			var kind string
			kind, chain, text = other.hidden(entries[:made])
			hidden[i] = true
			kindsHidden[kind]++
		case i%1000 < 31:
			chain, text = w.match(entries)
		case i%1000 == 500:
			chain, text = w.match(later[len(later)-50:])
		default:
			a := w.address()
			chain, text = a.Chain(), a.Normalized()
		}
		a, err := address.Normalize(chain, text)
		if err != nil {
			t.Fatalf("%s %s: %v", chain, text, err)
		}
		customers[i] = customer{a, text}
	}
	db.run(t, "create")
	db.run(t, "customers")
	db.insert(t, "customers", []string{"id", "chain", "address", "joinable"}, func(yield func([]string) bool) {
		for i, c := range customers {
			if !yield([]string{fmt.Sprint(i), string(c.address.Chain()), c.text, fmt.Sprint(c.joinable())}) {
				return
			}
		}
	})

	first := screener(t, entries, nil)
	db.load(t, CSV, "listed_addresses", first, entries)
	db.load(t, CSV, "listed_chains", nil, nil)
	db.run(t, "labels")
	db.run(t, "verdicts")
	found := compare(t, db, first, customers, hidden, false)
	t.Logf("of %d customers %d match; the join has missed %d: %v", n, found, len(hidden), kindsHidden)
	if want := n / 1000 * 31; found != want {
		t.Errorf("%d customers match, want %d", found, want)
	}
	said := fmt.Sprintf("%d addresses of keys that a listed `3…` wraps, %d X-addresses, %d muxed addresses, %d base addresses and %d pointer addresses",
		kindsHidden[wrapped], kindsHidden[withTag], kindsHidden[muxed], kindsHidden[base], kindsHidden[pointer])
	if longtest.Enabled() && !db.sqlite && !strings.Contains(document(t), said) {
		t.Errorf("sql.md does not say that the join misses %s", said)
	}

	db.run(t, "before")
	db.exec(t, "drop table listed_chains")
	second := screener(t, later, nil)
	format := SQL
	if db.sqlite {
		format = CSV
		db.run(t, "create")
	}
	db.load(t, format, "listed_addresses", second, later)
	db.load(t, format, "listed_chains", nil, nil)
	db.run(t, "index")
	db.exec(t, "analyze")
	db.run(t, "changed")
	db.run(t, "update")
	db.exec(t, "drop table verdicts")
	db.run(t, "verdicts")
	compare(t, db, second, customers, hidden, true)
	var changed int
	if err := db.QueryRow("select count(*) from changed").Scan(&changed); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d customers were computed again", changed)
	if changed == 0 || changed > n/100 {
		t.Errorf("%d customers of %d were computed again", changed, n)
	}
}

// A line is a label as the table of labels has it.
type line struct {
	score                                      int
	level, match, kind, source, ref, name, was string
	at, before, entity                         time.Time
}

// compare compares the labels and the verdict of each customer with what
// ScreenAll returns, and returns how many customers match. A join must not find
// the hidden ones, whose listings may be delisted.
func compare(t *testing.T, db database, s *screening.Screener, customers []customer, hidden map[int]bool, delisted bool) (found int) {
	t.Helper()
	rows, err := db.Query(
		db.dialect(`select id, score, level, match, kind, source, source_ref, name, listed_address, added_at, not_listed_on, entity_listed_at from labels
		order by id, score desc, source collate "C", kind collate "C", source_ref collate "C"`),
	)
	if err != nil {
		t.Fatal(err)
	}
	labels := make([][]line, len(customers))
	for rows.Next() {
		var id int
		var l line
		var dates [3]any
		if err := rows.Scan(&id, &l.score, &l.level, &l.match, &l.kind, &l.source, &l.ref, &l.name, &l.was, &dates[0], &dates[1], &dates[2]); err != nil {
			t.Fatal(err)
		}
		for i, to := range []*time.Time{&l.at, &l.before, &l.entity} {
			switch at := dates[i].(type) {
			case time.Time:
				*to = at.UTC()
			case string:
				if *to, err = time.Parse(time.RFC3339, at); err != nil && at != "" {
					t.Fatal(err)
				}
			}
		}
		labels[id] = append(labels[id], l)
	}
	if rows.Err() != nil {
		t.Fatal(rows.Err())
	}
	rows, err = db.Query(`select id, coalesce(score, -1), level, coalesce(match, ''), coalesce(kind, ''), coalesce(source, ''), coalesce(source_ref, ''),
		coalesce(name, ''), coalesce(listed_address, ''), snapshot from verdicts order by id`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	id := -1
	for r, err := range s.ScreenAll(addresses(customers)) {
		if err != nil {
			t.Fatal(err)
		}
		id++
		if !rows.Next() {
			t.Fatalf("the verdicts end after %d, %v", id, rows.Err())
		}
		var at int
		var v line
		var snapshot string
		if err := rows.Scan(&at, &v.score, &v.level, &v.match, &v.kind, &v.source, &v.ref, &v.name, &v.was, &snapshot); err != nil || at != id {
			t.Fatalf("verdict %d is of %d, %v", id, at, err)
		}
		if len(r.Labels) > 0 {
			found++
		}
		if hidden[id] {
			if len(r.Labels) == 0 && !delisted {
				t.Fatalf("%v is found by nothing", r.Address)
			}
			r.Labels = nil
		}
		var want []line
		for _, l := range r.Labels {
			level := score.Latest().Level(l.Points)
			want = append(
				want,
				line{l.Points, string(level), l.Match.String(), string(l.Kind), l.Source, l.Ref, l.Name, l.Listed, l.AddedAt, l.NotListedOn, l.EntityListedAt},
			)
		}
		if !slices.Equal(labels[id], want) {
			t.Fatalf("customer %d, %s %s, has the labels\n%v, want\n%v", id, r.Address, customers[id].text, labels[id], want)
		}
		verdict := line{score: -1, level: "UNDECIDED"}
		switch {
		case len(want) > 0:
			verdict = want[0]
			verdict.at, verdict.before, verdict.entity = time.Time{}, time.Time{}, time.Time{}
		case customers[id].joinable():
			verdict = line{level: "CLEAN_NO_MATCH"}
		}
		if v != verdict || snapshot != r.Digest() {
			t.Fatalf("customer %d, %s, has the verdict %v of %s, want %v of %s", id, r.Address, v, snapshot, verdict, r.Digest())
		}
	}
	if id != len(customers)-1 || rows.Next() {
		t.Fatalf("%d customers were screened of %d", id+1, len(customers))
	}
	return found
}

func addresses(customers []customer) iter.Seq[address.Address] {
	return func(yield func(address.Address) bool) {
		for _, c := range customers {
			if !yield(c.address) {
				return
			}
		}
	}
}
