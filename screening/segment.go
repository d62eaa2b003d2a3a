package screening

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/maphash"
	"iter"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/identity"
	"github.com/walletscreen/walletscreen/internal/index"
	"github.com/walletscreen/walletscreen/internal/pace"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// A segment is one list in the form in which it answers questions: an index of
// everything under which its entries are to be found, to the numbers of texts,
// each of which says what an entry does: a listing. It is built once, when the
// list is accepted, and never changed; so a refresh costs what the lists cost
// that have changed.
//
// A listing names other texts by their numbers, and leaves out what can be told
// from where it was found: entries that differ in nothing but an address that is
// 0x and the bytes of its key share one. So a long list of one kind takes hardly
// more memory than its accounts do.
type segment struct {
	index *index.Index
	facts
	accountsOnly bool // nothing is to be found by score.Key
	mapped       bool // the index is a file in Options.IndexDir
	recent       recent

	built time.Time
	took  time.Duration
}

// facts are what is known of a segment without a look into its index. The fields are
// those of a manifest, see indexDir.
type facts struct {
	Digest    string                `json:"digest"`    // SHA-256 over what the entries say, in any order, in hex
	Addresses int                   `json:"addresses"` // distinct ones
	Chains    map[address.Chain]int `json:"chains"`    // entries by chain
	Classes   map[string]int        `json:"classes"`   // keys by class
	Kinds     []score.Kind          `json:"kinds"`     // of the entries
	Samples   []sample              `json:"samples"`   // of entries that are filed alike one each
}

// How a listing gives the address of its entry.
const (
	noAddress   = iota // there is none: the listed string decodes to nothing
	hexAddress         // 0x, and in hex the key under which it was found
	textAddress        // a text
	addressMask = 3
	hasListed   = 4  // with each: a text has the listed string, which is not the normal form
	isRepeated  = 8  // with each: a number follows, of how often the list says so after another entry with this Identity
	isRemoved   = 16 // with each: a time follows at which the list had it no more
)

// A segmentBuilder makes a segment of the entries of a list, in any order.
type segmentBuilder struct {
	accountsOnly bool // as in segment
	expected     int  // entries, about

	index  index.Builder
	hashes [256][][sha256.Size]byte // of what the entries say, by the first byte
	facts  facts
	seed   maphash.Seed
	texts  map[uint64]struct{} // hashes of distinct addresses but those of hexAddress
	keys   []index.Key         // scratch, as is the following
	text   []byte

	repeated []repetition
	places   map[[sha256.Size]byte]int // in repeated, by the hash of what the entry says

	sampled map[sampleShape]bool
	shape   sampleShape // of the last
	strings int         // of the samples, those that are no address

	last     sources.Entry // the entry of lastText; much of a list says the same
	lastForm byte
	lastTime time.Time
	lastText uint32
}

// newSegmentBuilder returns a segmentBuilder for about so many entries.
func newSegmentBuilder(accountsOnly bool, expected int) *segmentBuilder {
	return &segmentBuilder{
		accountsOnly: accountsOnly, expected: expected,
		facts: facts{Chains: make(map[address.Chain]int), Classes: make(map[string]int)},
		seed:  maphash.MakeSeed(), texts: make(map[uint64]struct{}), sampled: make(map[sampleShape]bool),
		places: make(map[[sha256.Size]byte]int),
	}
}

// A repetition is an entry with the Identity of another before it, and how often it came.
type repetition struct {
	entry sources.Entry
	times int
}

// A filing is where an entry goes: under which keys, of which the first finds the
// entry itself, and how its listing gives its address.
type filing struct {
	keys []index.Key
	form byte
}

// file returns the filing of e. It is good until the next one.
func (b *segmentBuilder) file(e sources.Entry) filing {
	b.keys = appendFilings(b.keys[:0], e, b.accountsOnly)
	return filing{b.keys, formOf(e, b.keys)}
}

// formOf returns how a listing gives the address of e, which is filed under keys.
func formOf(e sources.Entry, keys []index.Key) byte {
	switch {
	case !e.Address.IsValid():
		return noAddress
	case len(keys) == 1 && isHexOf(e.Address.Normalized(), keys[0]):
		return hexAddress
	}
	return textAddress
}

// add adds an entry with its filing, and whether one with its Identity was added
// before.
func (b *segmentBuilder) add(e sources.Entry, f filing, repeated bool) {
	b.text = appendSaid(b.text[:0], e)
	hash := sha256.Sum256(b.text)
	hashes := &b.hashes[hash[0]]
	if *hashes == nil { // about as many as with each other first byte
		*hashes = make([][sha256.Size]byte, 0, b.expected/len(b.hashes)*9/8)
	}
	*hashes = append(*hashes, hash)
	b.facts.Chains[e.Address.Chain()]++
	if f.form != hexAddress {
		b.texts[maphash.String(b.seed, addressText(e))] = struct{}{}
	}
	if !repeated {
		b.enter(e, f, 0, time.Time{})
		return
	}
	place, ok := b.places[hash]
	if !ok {
		place = len(b.repeated)
		b.places[hash] = place
		b.repeated = append(b.repeated, repetition{entry: e})
	}
	b.repeated[place].times++
}

// remove adds an entry that the list had until the given time.
func (b *segmentBuilder) remove(e sources.Entry, at time.Time) {
	f := b.file(e)
	f.form |= isRemoved
	b.enter(e, f, 0, at)
}

// A sampleShape is what is alike in entries with an address that are filed alike.
type sampleShape struct {
	chain address.Chain
	form  byte
	keys  [4]struct { // of an entry with more keys, the last
		class uint16
		bytes int
	}
}

// maxStrings is how many entries that are no address are samples, of at most so many
// bytes: as what one can be read says nothing about another.
const (
	maxStrings     = 100
	maxStringBytes = 1000
)

// sample notes the kind of e, which is filed under keys, and e itself if it is the first
// of its shape.
func (b *segmentBuilder) sample(e sources.Entry, keys []index.Key, form byte) {
	kinds := &b.facts.Kinds
	if n := len(*kinds); n == 0 || e.Kind != (*kinds)[n-1] && !slices.Contains(*kinds, e.Kind) {
		*kinds = append(*kinds, e.Kind)
	}
	if !e.Address.IsValid() {
		if b.strings == maxStrings || len(e.Listed)+len(e.Asset) > maxStringBytes {
			return
		}
		b.strings++
	} else {
		s := sampleShape{chain: e.Address.Chain(), form: form & addressMask}
		for i, k := range keys {
			s.keys[i%len(s.keys)].class, s.keys[i%len(s.keys)].bytes = k.Class(), k.Len()
		}
		if s == b.shape || b.sampled[s] {
			b.shape = s
			return
		}
		b.shape, b.sampled[s] = s, true
	}
	b.facts.Samples = append(b.facts.Samples, sampleOf(e, b.accountsOnly))
}

// enter files the listing of an entry.
func (b *segmentBuilder) enter(e sources.Entry, f filing, times int, removed time.Time) {
	b.sample(e, f.keys, f.form)
	n := b.listing(f.form, e, times, removed)
	for _, k := range f.keys {
		b.index.Add(k, n)
	}
}

// addressText returns what makes the address of e another than others: its normal
// form, or the string that is listed where that is none.
func addressText(e sources.Entry) string {
	if !e.Address.IsValid() {
		return literalKey(e.Listed)
	}
	return e.Address.Normalized()
}

// listing returns the number of the text that says what e does, and with that form how
// often, or until when.
func (b *segmentBuilder) listing(form byte, e sources.Entry, times int, removed time.Time) uint32 {
	listed := listedApart(e)
	if listed != "" {
		form |= hasListed
	}
	if form&^isRemoved == hexAddress && form == b.lastForm && removed.Equal(b.lastTime) && sameListing(e, b.last) {
		return b.lastText
	}
	t := append(b.text[:0], form)
	for _, s := range [...]string{string(e.Kind), e.Ref, e.Name, e.Asset} {
		t = binary.AppendUvarint(t, uint64(b.index.Intern(s)))
	}
	t = appendTime(appendTime(t, e.ListedAt), e.FirstSeen)
	if form&addressMask != noAddress {
		t = binary.AppendUvarint(t, uint64(b.index.Intern(string(e.Address.Chain()))))
	}
	if form&addressMask == textAddress {
		t = binary.AppendUvarint(t, uint64(b.index.Intern(e.Address.Normalized())))
	}
	if form&hasListed != 0 {
		t = binary.AppendUvarint(t, uint64(b.index.Intern(listed)))
	}
	if form&isRepeated != 0 {
		t = binary.AppendUvarint(t, uint64(times))
	}
	if form&isRemoved != 0 {
		t = appendTime(t, removed)
	}
	b.text, b.last, b.lastForm, b.lastTime = t, e, form, removed
	b.lastText = b.index.Intern(string(t))
	return b.lastText
}

// listedApart returns the string that was listed for e, or "" if that is the normal
// form of its address.
func listedApart(e sources.Entry) string {
	if e.Listed == e.Address.Normalized() {
		return ""
	}
	return e.Listed
}

// sameListing reports whether a and b differ in their addresses only, on one
// chain.
func sameListing(a, b sources.Entry) bool {
	return a.Kind == b.Kind && a.Ref == b.Ref && a.Name == b.Name && a.Asset == b.Asset &&
		a.ListedAt.Equal(b.ListedAt) && a.FirstSeen.Equal(b.FirstSeen) && a.Address.Chain() == b.Address.Chain()
}

// build makes the segment of all that was added.
func (b *segmentBuilder) build() (*segment, error) {
	h := sha256.New()
	for i, hashes := range b.hashes {
		slices.SortFunc(hashes, compareHashes)
		for _, hash := range slices.Compact(hashes) {
			h.Write(hash[:])
		}
		b.hashes[i] = nil
		if len(hashes) > 1024 {
			pace.Yield()
		}
	}
	for i, r := range b.repeated {
		f := b.file(r.entry)
		f.form |= isRepeated
		b.enter(r.entry, f, r.times, time.Time{})
		pace.Step(i)
	}
	ix, err := b.index.Build()
	if err != nil {
		return nil, err
	}
	seg := &segment{index: ix, facts: b.facts, accountsOnly: b.accountsOnly}
	seg.Digest, seg.Addresses = hex.EncodeToString(h.Sum(nil)), len(b.texts)
	return seg, seg.count()
}

// compareHashes orders hashes by their bytes.
func compareHashes(a, b [sha256.Size]byte) int {
	if x, y := binary.BigEndian.Uint64(a[:]), binary.BigEndian.Uint64(b[:]); x != y {
		return cmp.Compare(x, y)
	}
	return bytes.Compare(a[:], b[:])
}

// count counts the keys by class, and the addresses that are their keys in hex.
func (seg *segment) count() error {
	type keys struct {
		n     uint32
		class uint16
	}
	sets := make([]keys, seg.index.Sets())
	i := 0
	for k, set := range seg.index.All() {
		pace.Step(i)
		i++
		of := &sets[set]
		of.n++
		of.class = k.Class()
	}
	var numbers []uint32
	for i, of := range sets {
		pace.Step(i)
		if of.class == textClass {
			seg.Classes["text"] += int(of.n)
		} else {
			seg.Classes[identity.Class(of.class).String()] += int(of.n)
		}
		var err error
		if numbers, err = seg.index.AppendValues(numbers[:0], index.Set(i)); err != nil {
			return err
		}
		for _, n := range numbers {
			text, err := seg.index.Text(n)
			if err != nil {
				return err
			}
			if text[0]&addressMask == hexAddress {
				seg.Addresses += int(of.n)
				break
			}
		}
	}
	return nil
}

// appendSaid appends what the digest covers of an entry: all but the time at which
// it was first seen, which differs between machines. Each text follows its length,
// so that no two entries append the same.
func appendSaid(b []byte, e sources.Entry) []byte {
	for _, s := range [...]string{
		string(e.Kind), string(e.Address.Chain()), e.Address.Normalized(), e.Text(), e.Asset, e.Ref, e.Name,
	} {
		b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
	}
	b = binary.AppendVarint(b, e.ListedAt.Unix())
	if n := e.ListedAt.Nanosecond(); n > 0 {
		b = binary.AppendUvarint(b, uint64(n))
	}
	return b
}

// appendTime appends t, to the nanosecond, so that readTime reads it.
func appendTime(b []byte, t time.Time) []byte {
	return binary.AppendUvarint(binary.AppendVarint(b, t.Unix()), uint64(t.Nanosecond()))
}

// told calls f for each entry that a set of values tells of, which was found under
// the key k. An error means that the index is damaged: then nothing can be said,
// least of all that there is no entry.
func (seg *segment) told(set index.Set, k index.Key, f func(sources.Entry)) error {
	var buf [8]uint32
	numbers, err := seg.index.AppendValues(buf[:0], set)
	if err != nil {
		return fmt.Errorf("screening: %w", err)
	}
	for _, n := range numbers {
		l, err := seg.read(n)
		if err != nil {
			return fmt.Errorf("screening: %w", err)
		}
		e, err := l.at(k)
		if err != nil {
			return fmt.Errorf("screening: %w", err)
		}
		f(e)
	}
	return nil
}

// A listing is what a text of a segment says.
type listing struct {
	number   uint32
	entry    sources.Entry
	chain    address.Chain // of an address that is 0x and the bytes of its key in hex; else ""
	repeated int           // how often it is said after another entry with this Identity; 0: it is the first
	removed  time.Time     // when the list had it no more; zero: it has it
}

// at returns the entry that l lists under the key k.
func (l *listing) at(k index.Key) (sources.Entry, error) {
	e := l.entry
	if l.chain != "" {
		var err error
		if e.Address, err = address.Parse(l.chain, hexOf(k)); err != nil {
			return sources.Entry{}, fmt.Errorf("%w: a listing", index.ErrDamaged)
		}
	}
	return e, nil
}

// same reports whether l lists an entry with the Identity of e, which has the given
// form, under the first key of e.
func (l *listing) same(e sources.Entry, form byte) bool {
	if l.entry.Kind != e.Kind || l.entry.Ref != e.Ref || l.entry.Asset != e.Asset || l.entry.Listed != listedApart(e) {
		return false
	}
	if l.chain != "" {
		return form == hexAddress && l.chain == e.Address.Chain()
	}
	return l.entry.Address == e.Address
}

// recent are the listings that were read last, by number modulo its length.
// Nothing that was read is ever changed, so there is no lock.
type recent [256]atomic.Pointer[listing]

// read returns the listing that text n is. It must not be changed.
func (seg *segment) read(n uint32) (*listing, error) {
	slot := &seg.recent[n%uint32(len(seg.recent))]
	if l := slot.Load(); l != nil && l.number == n {
		return l, nil
	}
	text, err := seg.index.Text(n)
	if err != nil {
		return nil, err
	}
	r := listingReader{seg: seg, rest: []byte(text)}
	form := r.byte()
	l := &listing{number: n, entry: sources.Entry{
		Kind: score.Kind(r.text()), Ref: r.text(), Name: r.text(), Asset: r.text(),
		ListedAt: r.time(), FirstSeen: r.time(),
	}}
	switch form & addressMask {
	case hexAddress:
		l.chain = address.Chain(r.text())
	case textAddress:
		if l.entry.Address, err = address.Parse(address.Chain(r.text()), r.text()); err != nil {
			r.fail()
		}
	}
	if form&hasListed != 0 {
		l.entry.Listed = r.text()
	}
	if form&isRepeated != 0 {
		if l.repeated = int(r.uvarint()); l.repeated < 1 || l.repeated > maxEntries {
			r.fail()
		}
	}
	if form&isRemoved != 0 {
		l.removed = r.time()
	}
	if r.err == nil && len(r.rest) > 0 {
		r.fail()
	}
	if r.err != nil {
		return nil, r.err
	}
	slot.Store(l)
	return l, nil
}

// each calls f for each entry of the segment, once for repetitions that say the same, in
// no order, and leaves out those that have a mark; a nil segment has none.
func (seg *segment) each(but *marks, f func(*listing, sources.Entry)) error {
	if seg == nil {
		return nil
	}
	var numbers []uint32
	var keys []index.Key
	place := -1
	for k, set := range seg.index.All() {
		place++
		pace.Step(place)
		if but.all(place) {
			continue
		}
		var err error
		if numbers, err = seg.index.AppendValues(numbers[:0], set); err != nil {
			return err
		}
		for _, n := range numbers {
			l, err := seg.read(n)
			if err != nil {
				return err
			}
			if but.rest[mark{place, n}] {
				continue
			}
			e, err := l.at(k)
			if err != nil {
				return err
			}
			if keys = appendFilings(keys[:0], e, seg.accountsOnly); k == keys[0] { // once, of all that it is filed under
				f(l, e)
			}
		}
	}
	return nil
}

// all returns the entries of the segment nearly in the order of the list, that of their
// listings: those that are repeated come last.
func (seg *segment) all() ([]sources.Entry, error) {
	type numbered struct {
		listing uint32
		entry   int
	}
	var entries []sources.Entry
	var order []numbered
	err := seg.each(&marks{}, func(l *listing, e sources.Entry) {
		for range max(1, l.repeated) {
			order = append(order, numbered{l.number, len(entries)})
			entries = append(entries, e)
		}
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(order, func(a, b numbered) int {
		return cmp.Or(cmp.Compare(a.listing, b.listing), cmp.Compare(a.entry, b.entry))
	})
	for i := range order { // cycle by cycle, in place
		at := i
		for order[at].entry != i {
			from := order[at].entry
			entries[at], entries[from] = entries[from], entries[at]
			order[at].entry, at = at, from
		}
		order[at].entry = at
	}
	return entries, nil
}

// removals returns the entries of a segment of those that a list has no more, in no
// order.
func (seg *segment) removals() ([]sources.Removal, error) {
	var all []sources.Removal
	err := seg.each(&marks{}, func(l *listing, e sources.Entry) {
		all = append(all, sources.Removal{Entry: e, At: l.removed})
	})
	return all, err
}

// probes returns the keys that are asked in a question about any address that an
// entry of the segment matches, and others; of no segment, none. A key may come
// twice. After an error there is nothing more.
func (seg *segment) probes() iter.Seq2[index.Key, error] {
	return func(yield func(index.Key, error) bool) {
		if seg == nil {
			return
		}
		var keys []index.Key
		for k, set := range seg.index.All() {
			keys = append(keys[:0], k)
			if seg.accountsOnly { // others than these may be asked for
				keys = keys[:0]
				err := seg.told(set, k, func(e sources.Entry) { keys = appendFilings(keys, e, false) })
				if err != nil {
					yield(index.Key{}, err)
					return
				}
			}
			for _, k := range keys {
				if !yield(k, nil) {
					return
				}
			}
		}
	}
}

// A listingReader reads the text of a listing. What it returns once it has
// failed means nothing.
type listingReader struct {
	seg  *segment
	rest []byte
	err  error
}

func (r *listingReader) fail() {
	if r.err == nil {
		r.err = fmt.Errorf("%w: a listing", index.ErrDamaged)
	}
	r.rest = nil
}

func (r *listingReader) byte() byte {
	if len(r.rest) == 0 {
		r.fail()
		return 0
	}
	c := r.rest[0]
	r.rest = r.rest[1:]
	return c
}

func (r *listingReader) uvarint() uint64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

// text reads the number of a text, and returns the text.
func (r *listingReader) text() string {
	n := r.uvarint()
	if r.err != nil || n != uint64(uint32(n)) {
		r.fail()
		return ""
	}
	text, err := r.seg.index.Text(uint32(n))
	if err != nil {
		r.fail()
	}
	return text
}

// time reads what appendTime has appended.
func (r *listingReader) time() time.Time {
	seconds, n := binary.Varint(r.rest)
	if n <= 0 {
		r.fail()
		return time.Time{}
	}
	r.rest = r.rest[n:]
	return time.Unix(seconds, int64(r.uvarint())).UTC()
}

// appendProbes appends the keys of an index that are asked in a question about
// a: what controls the account, where its address shows just that, and nothing
// else; otherwise the account, and each of what controls it.
func appendProbes(dst []index.Key, a address.Address, accountsOnly bool) []index.Key {
	words, tag := a.Identity()
	w0, w1, w2, w3 := identity.Load(words)
	if key := identity.Key(tag); key != 0 && !accountsOnly {
		return append(dst, index.KeyOfWords(uint16(key), w0, w1, w2, w3, identity.Len(tag)))
	}
	dst = append(dst, index.KeyOfWords(uint16(identity.Account(tag)), w0, w1, w2, w3, identity.Len(tag)))
	if identity.HasMore(tag) && !accountsOnly {
		var buf [4]address.Key
		for _, k := range a.AppendKeys(buf[:0]) {
			dst = append(dst, indexKey(k))
		}
	}
	return dst
}

// appendFilings appends the keys of an index under which an entry is filed: those
// that are asked about its address, and those of the scripts that wrap what
// controls it; or its very string, if it has no address, and what is asked about the
// addresses as which that can be read.
func appendFilings(dst []index.Key, e sources.Entry, accountsOnly bool) []index.Key {
	if !e.Address.IsValid() {
		text := literalKey(e.Listed)
		dst = append(dst, textKey(text))
		for _, a := range readings(e, text) {
			dst = appendProbes(dst, a, accountsOnly)
		}
		return dst
	}
	dst = appendProbes(dst, e.Address, accountsOnly)
	if accountsOnly {
		return dst
	}
	var buf [4]address.Key
	for _, k := range e.Address.AppendKeys(buf[:0]) {
		words, tag := k.Identity()
		if script, ok := identity.Wrap(identity.Account(tag), words); ok {
			w0, w1, w2, w3 := identity.Load(script)
			dst = append(dst, index.KeyOfWords(uint16(identity.ScriptHash), w0, w1, w2, w3, 20))
		}
	}
	return dst
}

// readings returns the addresses as which the listed string of an entry that has none
// can be read, given its literalKey.
func readings(e sources.Entry, text string) []address.Address {
	all := address.Detect(text)
	if a, ok := sources.Decode(e.Asset, text); ok && !slices.Contains(all, a) { // a URI, for example
		all = append(all, a)
	}
	return all
}

// indexKey returns k as an index has it. Accounts and what controls them are of
// different classes, so that one index can hold both.
func indexKey(k address.Key) index.Key {
	words, tag := k.Identity()
	w0, w1, w2, w3 := identity.Load(words)
	return index.KeyOfWords(uint16(identity.Account(tag)), w0, w1, w2, w3, identity.Len(tag))
}

// textClass is the class of listed strings that are no addresses. No address has
// it.
const textClass = 0

// textKey returns the key under which a listed string that is no address is
// filed: its SHA-256.
func textKey(text string) index.Key {
	sum := sha256.Sum256([]byte(text))
	return index.Key32(textClass, &sum)
}

// isHexOf reports whether text is what hexOf returns of k.
func isHexOf(text string, k index.Key) bool {
	var buf [32]byte
	b := k.AppendBytes(buf[:0])
	if len(text) != 2+2*len(b) || text[:2] != "0x" {
		return false
	}
	const digits = "0123456789abcdef"
	for i, c := range b {
		if text[2+2*i] != digits[c>>4] || text[3+2*i] != digits[c&15] {
			return false
		}
	}
	return true
}

// hexOf returns 0x and the bytes of k in hex: what most of the addresses are that
// long lists hold.
func hexOf(k index.Key) string {
	var buf [32]byte
	b := k.AppendBytes(buf[:0])
	text := hex.AppendEncode([]byte("0x"), b)
	return string(text)
}

// literalKey returns the string under which a listed string that is no address
// is found: itself without outer blanks, and hex digits in lower case, as their 0x is,
// for their case says nothing.
func literalKey(listed string) string {
	text := sources.TrimListed(listed)
	digits := text
	if strings.HasPrefix(text, "0x") || strings.HasPrefix(text, "0X") {
		digits = text[2:]
	}
	for _, c := range []byte(digits) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') && (c < 'A' || c > 'F') {
			return text
		}
	}
	return strings.ToLower(text)
}
