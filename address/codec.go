package address

import (
	"slices"
	"sync"

	"github.com/walletscreen/walletscreen/internal/base58"
	"github.com/walletscreen/walletscreen/internal/bech32"
	"github.com/walletscreen/walletscreen/internal/identity"
)

// A codec is one spelling of the accounts of a chain: a notation, and its
// parameters on that chain. A row of the chain table is a list of codecs.
type codec struct {
	enc    notation
	prefix string         // version bytes, a human-readable part, or the first characters
	size   int            // the number of bytes; 0 if it varies
	kind   uint8          // accounts of a chain with equal kinds and bytes are one account
	key    identity.Class // the class of the key that the bytes are, or 0
	what   string         // the result of Address.Kind
	use    use
	evm    bool  // the account is one of all EVM chains
	proven bool  // the text proves itself by a check of the codec
	doubt  Doubt // why such a text does not settle which account is meant, or ""

	check  func(r *reader) fault                  // what else the bytes must satisfy
	open   bool                                   // any 32 bytes are an account, perhaps behind a byte, without a mark or a checksum
	bare58 bool                                   // the text is any 32 bytes in Base58
	yield  func(s string) bool                    // whether s, if it is proven on another chain, is none here
	core   func(r *reader) []byte                 // the bytes that identify the account; nil means all
	uncore func(core []byte) [][]byte             // payloads with that core, if they are not core and zeros
	keys   func(r *reader, core []byte)           // adds the keys to r.keys, if they are not core by the class key
	also   func(ks *keys, r *reader, core []byte) // adds what else the account determines
	show   func(text string) string               // the result of Address.Display; nil means the text
}

// A use says who may write a spelling.
type use uint8

const (
	everybody use = iota
	tolerated     // only Normalize reads it, and its normal form is the codec before it
	testers       // it is of a test network
)

// codecs are the spellings of one chain. The first of a kind is canonical.
type codecs []codec

func all(lists ...codecs) codecs { return slices.Concat(lists...) }

// with returns c with each of the prefixes.
func (c codec) with(prefixes ...string) (cs codecs) {
	for _, c.prefix = range prefixes {
		cs = append(cs, c)
	}
	return cs
}

// on returns c with the prefix of the main network, and with the prefixes of test networks.
func (c codec) on(main string, tests ...string) codecs {
	return all(c.with(main), test(c.with(tests...)))
}

// only returns cs for the given use.
func (cs codecs) only(u use) codecs {
	cs = slices.Clone(cs)
	for i := range cs {
		cs[i].use = u
	}
	return cs
}

// maxPayload is the number of bytes of the longest address: a script of nervos.
const maxPayload = 704

// A notation reads and writes bytes as text. It knows no chain.
type notation interface {
	// read decodes r.s as an address of c: it sets the payload of r, and r.normal if write writes
	// the same text. It sets r.claimed if the text begins as only addresses of c do, so that its
	// fault takes precedence. It checks the length first. If r.trusted is set, the text is a result
	// of write, and checksums need not be verified.
	read(r *reader, c *codec) fault
	// write appends the text of a payload. If no address has the payload, the result is no address.
	write(dst []byte, c *codec, payload []byte) []byte
	// bounds returns properties of every text that read accepts.
	bounds(c *codec) bounds
}

type bounds struct {
	min, max int    // the length
	chars    uint16 // all characters are of one of these classes
	lead     string // the first characters, in lower case, a question mark for any; "" if they vary
	proves   bool   // the text is recognizable without its chain: by a checksum that random text does not match, or as "0x" and 40 hex digits
}

func (c *codec) bounds() bounds {
	b := c.enc.bounds(c)
	b.proves = b.proves || c.proven
	return b
}

// A reader holds a text while codecs read it, and what they have in common: the
// value of a Base58 text, the checksum of a Bech32 text.
type reader struct {
	s        string
	tolerant bool // read what Normalize accepts, except blanks and URIs
	trusted  bool
	quiet    bool // only whether there is a fault matters, not which

	claimed, normal bool
	n               int
	buf             [maxPayload]byte
	tmp             [maxPayload]byte // for functions of codecs
	out             []byte
	keys            keys

	raw58  [base58.MaxLen]byte
	val58  []byte // in raw58; nil if the text is not Base58
	bad58  int
	of58   *base58.Alphabet // nil: not decoded
	sums58 [lastHash]int8   // by hash: 1 if the checksum is right, -1 if it is wrong

	hrp     string // "": not verified
	variant bech32.Variant
	at32    int
	fault32 bech32.Fault
}

var readers = sync.Pool{New: func() any { return new(reader) }}

// newReader returns a reader of s. The caller puts it back to readers.
func newReader(s string, tolerant bool) *reader {
	r := readers.Get().(*reader)
	r.s, r.tolerant, r.trusted, r.quiet, r.of58, r.hrp = s, tolerant, false, false, nil, ""
	return r
}

func (r *reader) free() {
	r.s, r.hrp = "", ""
	readers.Put(r)
}

func (r *reader) payload() []byte { return r.buf[:r.n] }

func (r *reader) set(b []byte) { r.n = copy(r.buf[:], b) }

// read reads the text as an address of c.
func (c *codec) read(r *reader) fault {
	r.claimed, r.normal, r.n = false, false, 0
	bad := c.enc.read(r, c)
	if bad.err != nil || r.trusted {
		return bad
	}
	if c.check != nil {
		bad = c.check(r)
	}
	if bad.err == nil && (c.what == "name" && hasShape(r.s) || c.open && isLikeOther(r.s) ||
		c.yield != nil && c.yield(r.s) && (isProven(r.s) || isInteropHex(r.s))) {
		return badSyntax
	}
	return bad
}

// text returns the text of the payload of r, without an allocation if that is its text.
func (c *codec) text(r *reader) string {
	if r.normal {
		return r.s
	}
	r.out = c.enc.write(r.out[:0], c, r.payload())
	return string(r.out)
}

// account returns the bytes that identify the account in r.
func (c *codec) account(r *reader) []byte {
	if c.core != nil {
		return c.core(r)
	}
	return r.payload()
}

// payload returns the bytes of the account that core identifies: core, and what uncore adds, or zeros.
func (c *codec) payload(core []byte) []byte {
	if c.uncore != nil {
		return c.uncore(core)[0]
	}
	return append(core, make([]byte, max(0, c.size-len(core)))...)
}

// read reads the text as an address of the chain, and returns the form: the
// index of the codec. It looks for a reason only if there is none.
func (cs codecs) read(r *reader) (form, fault) {
	quiet := r.quiet
	r.quiet = true
	for i := range cs {
		if c := &cs[i]; (c.use == everybody || c.use == tolerated && r.tolerant) && c.read(r).err == nil {
			r.quiet = quiet
			return form(i), fault{}
		}
	}
	if r.quiet = quiet; quiet {
		return 0, badSyntax
	}
	var worst fault
	weight := -1
	for i := range cs {
		c := &cs[i]
		if c.use == tolerated && !r.tolerant {
			continue
		}
		bad := c.read(r)
		if bad.err == nil {
			bad = badNetwork
		}
		if w := bad.weight(r.claimed); w > weight {
			worst, weight = bad, w
		}
	}
	return 0, worst
}

// weight tells which fault says most about a text that no codec reads.
func (f fault) weight(claimed bool) int {
	w := 0
	switch f.err {
	case ErrSecret:
		return 200
	case ErrNetwork:
		return 100
	case ErrChecksum:
		w = 40
	case ErrSyntax:
		w = 30
	case ErrLength:
		w = 10
	case ErrCharset:
		w = 15 + min(f.at, 9)
	}
	if f.lead {
		w = min(max(f.at, 0), 9)
	}
	if claimed {
		w += 50
	}
	return w
}

// first returns the form of the canonical codec of a kind.
func (cs codecs) first(kind uint8) form {
	for i := range cs {
		if cs[i].kind == kind && cs[i].use == everybody {
			return form(i)
		}
	}
	panic("address: no codec of the kind") // a defect of the table, found by its tests
}

// A form is the index of a codec in the spellings of a chain.
type form uint8

// A fault describes why a string is not an address. The zero fault means that
// it is one. It is passed by value, so that trying a chain does not allocate.
type fault struct {
	err error // one of the reasons in errors.go
	at  int   // offset of the first wrong character, or -1

	lead bool // the text does not even begin as addresses of the codec do
}

// Faults without an offset.
var (
	badLength   = fault{err: ErrLength, at: -1}
	badSyntax   = fault{err: ErrSyntax, at: -1}
	badChecksum = fault{err: ErrChecksum, at: -1}
	badNetwork  = fault{err: ErrNetwork, at: -1}
)

func badChar(at int) fault { return fault{err: ErrCharset, at: at} }

// badLead returns the fault for a text that does not begin with lead.
func badLead(s, lead string) fault {
	at := 0
	for at < min(len(s), len(lead)) && s[at] == lead[at] {
		at++
	}
	if at == min(len(s), len(lead)) {
		return fault{err: ErrLength, at: -1, lead: true}
	}
	return fault{err: ErrCharset, at: at, lead: true}
}
