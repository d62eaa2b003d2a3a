package address

import (
	"crypto/ed25519"
	"crypto/sha256"
	"iter"
	"math/bits"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/walletscreen/walletscreen/internal/base58"
)

// maxDiagnosed is the number of bytes of its input that diagnosis reads. No address is longer.
const maxDiagnosed = 1024

// maxSecret is the length of the longest secret that is recognized by its
// beginning: a mnemonic of 25 words, or a Sapling extended spending key.
const maxSecret = 320

// The hints of errors for secrets.
const (
	isKey   = "delete it here, and move the funds if others have seen it"
	isWords = "it is a seed phrase, or a seed in numbers"
)

// secretIn returns the hint for the kind of secret that s certainly contains, or "". A secret has a
// prefix or a checksum of its own, or it is a sequence of words. 64 hex digits can be anything, so
// they are not certain without a word before them that says what they are.
//
// White space, quotation marks, labels, line breaks and invisible characters in and
// around a secret do not hide it.
func secretIn(s string) string {
	var buf [2 * (maxDiagnosed + maxSecret)]byte
	text := string(plain(buf[:0], s[:min(len(s), maxDiagnosed+maxSecret)]))
	lower := lowerASCII(text)
	if hasSecretMark(lower) {
		return isKey
	}
	words := slices.AppendSeq(make([]token, 0, 32), tokens(text))
	switch {
	case hasMnemonic(text, words, isForeign(s)), isSecretNumbers(text):
		return isWords
	case hasSecretToken(text, words), hasNamedKey(lower, words, s):
		return isKey
	}
	return ""
}

// keyWords are parts of the words for a private key, in lower case; keyMarks are whole words.
var (
	keyWords = []string{"key", "priv", "secret", "seed", "mnemonic", "clave", "chiave", "schl"}
	keyMarks = []string{"sk", "pk", "prv", "pvk", "wif", "entropy"}
)

// keyLetters are words for a key in scripts that plain does not keep.
var keyLetters = []string{"ключ", "私", "秘", "密", "키"}

// hasNamedKey reports whether text, in lower case, has 64 hex digits, perhaps broken by white
// space, up to four words behind one for a key. s is the text as it was before plain.
func hasNamedKey(text string, tokens []token, s string) bool {
	since, digits := 5, 0 // words since the last one for a key, hex digits since the last other word
	public := false       // the last word says so of a key
	if slices.ContainsFunc(keyLetters, func(w string) bool { return strings.Contains(strings.ToLower(s[:min(len(s), maxDiagnosed)]), w) }) {
		since = 0
	}
	for i, t := range tokens {
		word := text[t.start:t.end]
		has := func(part string) bool { return strings.Contains(word, part) }
		switch bare := strings.TrimPrefix(word, "0x"); {
		case isHex(bare):
			if digits > 0 && strings.Trim(text[tokens[i-1].end:t.start], blanks) != "" {
				digits = 0
			}
			digits += len(bare)
			if last := i+1 == len(tokens) || !isHex(text[tokens[i+1].start:tokens[i+1].end]); since < 5 && (len(bare) == 64 || digits == 64 && last) {
				return true
			}
			continue
		case has("pub"):
			since, public = 5, true
		case !public && (slices.ContainsFunc(keyWords, has) || slices.Contains(keyMarks, word)):
			since = 0
		default:
			since, public = since+1, false
		}
		digits = 0
	}
	return false
}

// secretMarks lists text, in lower case, that occurs only in secrets.
var secretMarks = [...]struct {
	mark string
	rest int // minimum number of letters, digits and separators that follow
}{
	{"secret-extended-key", 40}, {"secret-spending-key", 40}, // zcash, pivx
	{"secret-key", 40},           // age
	{"suiprivkey1", 50},          // sui
	{"iotaprivkey1", 50},         // iota
	{"privatekey-", 40},          // avalanche
	{"-----beginprivatekey", 20}, // PEM
	{"-----beginecprivate", 20},  // PEM
	{"-----beginencrypted", 20},  // PEM
	{"_sk1", 40}, {"_xsk1", 80},  // cardano
	{"xprv1", 80},                        // cardano
	{"nsec1", 50},                        // nostr
	{"pvt_", 40},                         // antelope
	{"ed25519-priv-", 40},                // aptos
	{"secp256k1-priv-", 40},              // aptos
	{"ed25519:", 80},                     // near, 64 bytes
	{"302e020100300506032b6570", 68},     // hedera, DER of ed25519
	{"3030020100300706052b8104000a", 68}, // hedera, DER of secp256k1
}

// hasSecretMark reports whether text, in lower case, contains a mark of a secret, ignoring white
// space and the marks of quoted lines.
func hasSecretMark(text string) bool {
	text = withoutBlanks.Replace(text)
	for _, m := range secretMarks {
		if _, rest, ok := strings.Cut(text, m.mark); ok && skip(classAddress, rest, 0) >= m.rest {
			return true
		}
	}
	return false
}

// blanks are white space, and the mark of a quoted line.
const blanks = " \t\r\n\v\f>"

// withoutBlanks takes the blanks out of a text.
var withoutBlanks = strings.NewReplacer(" ", "", "\t", "", "\r", "", "\n", "", "\v", "", "\f", "", ">", "")

// A token is a run of letters and digits.
type token struct {
	start, end int
	any, all   uint16 // the union and the intersection of the classes of its bytes
}

func (t token) len() int { return t.end - t.start }

func tokens(text string) iter.Seq[token] {
	return func(yield func(token) bool) {
		for i := 0; i < len(text); i++ {
			t := token{start: i, all: ^uint16(0)}
			for ; i < len(text) && charClass[text[i]]&classAlnum != 0; i++ {
				t.any |= charClass[text[i]]
				t.all &= charClass[text[i]]
			}
			if t.end = i; t.end > t.start && !yield(t) {
				return
			}
		}
	}
}

// A mnemonic has at least twelve words (BIP-39; Monero, Algorand and TON use 24 or 25). Words have
// at least three letters. A key as a list of byte values has 32 or more numbers.
const (
	minWords   = 12
	maxWord    = 16
	minNumbers = 32
)

// hasMnemonic reports whether text contains enough words in sequence for a mnemonic, which numbers
// can precede, or as many letters in one piece, or enough numbers for the bytes of a key. foreign
// tells whether the A in text can stand for other letters.
func hasMnemonic(text string, tokens []token, foreign bool) bool {
	words, numbers := 0, 0
	for i, t := range tokens {
		n := t.end - t.start
		if i > 0 && strings.Trim(text[tokens[i-1].end:t.start], "-_./+=:@") == "" {
			words = 0 // pieces of something else
		}
		word := text[t.start:t.end]
		switch {
		case t.any&classDigit == 0 && minWordsLike <= n && n <= 25*maxWord && areWords(word, foreign):
			return true
		case t.any&classDigit == 0 && (3 <= n && n <= maxWord || word == "AA" || n <= 2*maxWord && strings.HasPrefix(word, "AAAA")):
			words, numbers = words+1, 0
		case t.all&classDigit != 0 && n <= 3:
			numbers++ // it may also number the words
		default:
			words, numbers = 0, 0
		}
		if words >= minWords || numbers >= minNumbers {
			return true
		}
	}
	return false
}

// isForeign reports whether s has characters other than ASCII.
func isForeign(s string) bool {
	return strings.IndexFunc(s, func(c rune) bool { return c >= utf8.RuneSelf && unicode.IsLetter(c) }) >= 0
}

// areWords reports whether word, of many letters, can be words without blanks: the
// letters are in one case, apart from the A in which plain writes letters other
// than a to z, and there are as many different ones as in words.
func areWords(word string, foreign bool) bool {
	if foreign {
		if word = strings.ReplaceAll(word, "A", ""); word == "" {
			return true
		}
	}
	if strings.ToLower(word) != word && strings.ToUpper(word) != word {
		return false
	}
	seen := uint32(0)
	for _, c := range []byte(word) {
		seen |= 1 << (c & 31)
	}
	return foreign || bits.OnesCount32(seen) >= 6
}

// The lengths of the shortest secret in digits, and of the longest that is recognized in pieces.
const (
	minSecret = 22
	maxBroken = 120
)

// The bounds of the search for a secret in pieces. Up to maxPieces are joined whatever their
// lengths, and more if they are groups of one length, apart from the first and the last. maxTries
// limits the checksums that are computed for joined pieces, counted by their cost.
const (
	maxPieces = 4
	maxTries  = 96
	maxLeads  = 4 // words in front of groups that have their length
)

// hasSecretToken reports whether a token, or several separated only by blanks, is a
// secret with its own checksum.
func hasSecretToken(text string, tokens []token) bool {
	tries := maxTries
	for n := 0; len(tokens) > 0; tokens = tokens[n:] {
		gap := func(i int) string { return text[tokens[i-1].end:tokens[i].start] }
		for n = 1; n < len(tokens) && strings.Trim(gap(n), blanks) == ""; n++ {
		}
		last := tokens[n-1]
		if isSecretRun(withoutBlanks.Replace(text[tokens[0].start:last.end]), tokens[:n], &tries) {
			return true
		}
		if n < len(tokens) && text[last.start:last.end] == "sk" && gap(n) == "_" && tokens[n].len() >= 45 { // aeternity
			return true
		}
	}
	return false
}

// isSecretRun reports whether a token is a secret, or several in sequence, which run has without
// the blanks between them.
//
// Its time is linear: it joins all pieces of groups of one length from the first maxLeads
// of them only, and maxPieces from any other.
func isSecretRun(run string, tokens []token, tries *int) bool {
	group := 0
	for i, t := range tokens {
		n, alone := t.len(), maxTries
		if isSecretWord(run[:n], &alone) {
			return true
		}
		if group++; i == 0 || tokens[i-1].len() != n {
			group = 0
		}
		inGroups := group < maxLeads
		for j := i + 1; j < len(tokens) && n+tokens[j].len() <= maxBroken; j++ {
			inGroups = inGroups && (j < i+3 || tokens[j-1].len() == tokens[i+1].len())
			if j >= i+maxPieces && !inGroups {
				break
			}
			if n += tokens[j].len(); isSecretWord(run[:n], tries) {
				return true
			}
		}
		run = run[t.len():]
	}
	return false
}

// isSecretWord reports whether word, which consists of letters and digits, is a
// secret. It takes the cost of its checks from tries, and gives up without any left.
func isSecretWord(word string, tries *int) bool {
	n := len(word)
	switch {
	case n < minSecret || *tries <= 0:
		return false
	case n >= 48 && n <= 127 && strings.EqualFold(word[:3], "ms1"): // codex32, BIP-93
		return strings.IndexByte("023456789", word[3]) >= 0 && isOf(classBech32, word[3:])
	case n == 56:
		word = strings.ToUpper(word)
	case (n == minSecret || n == 30) && word[0] == 'S' && sha256.Sum256([]byte(word + "?"))[0] == 0 && isOf(classBase58, word): // a mini private key
		return true
	}
	alphabet := uint16(classBase58)
	if n == 56 {
		alphabet = classBase32
	}
	if !slices.Contains(secretLengths, n) || !isOf(alphabet, word) { // words of a sentence, mostly
		return false
	}
	*tries--
	r := newReader(word, false)
	defer r.free()
	r.quiet = true
	form, bad := secrets.read(r)
	if bad.err == nil && secrets[form].size == ed25519.PrivateKeySize { // its second half follows from the first
		*tries -= 23
		b := r.payload()
		return string(ed25519.NewKeyFromSeed(b[:ed25519.SeedSize])) == string(b)
	}
	return bad.err == nil
}

// secretLengths are the lengths of secrets.
var secretLengths = []int{
	28, 29, 30, 31, // xrp
	50, 51, 52, 53, 54, // wallet import format, tezos
	56,         // stellar
	57, 58, 59, // BIP-38
	85, 86, 87, 88, // solana
	98, 99, // tezos
	111, 112, // BIP-32
}

// secrets are the formats of secrets with a checksum.
var secrets = func() codecs {
	with := func(size int, prefixes ...string) codecs {
		return codec{enc: base58Check{}, size: size}.with(prefixes...)
	}
	of := func(size int, check func(b []byte) bool) codecs {
		cs := with(size, "")
		cs[0].check = func(r *reader) fault { return unless(check(r.payload())) }
		return cs
	}
	ripple := func(cs codecs) codecs {
		for i := range cs {
			cs[i].enc = base58Check{alphabet: base58.Ripple}
		}
		return cs
	}
	return all(
		// The wallet import format of any chain, with a mark of a compressed key behind the key or
		// without it. 1 is an account of concordium.
		of(1+32, func(b []byte) bool { return b[0] > 1 }),
		of(1+32+1, func(b []byte) bool { return b[0] >= 0x80 || b[0] != 0 && b[33] == 1 || string(b[:2]) == "\xab\x36" }),
		of(1+32, func(b []byte) bool { return b[0] >= 0x80 }).by(groestl512),
		of(1+32+1, func(b []byte) bool { return b[0] >= 0x80 && b[33] == 1 }).by(groestl512),
		with(1+32+sumLen, "\x22\xde", "\x23\x0e", "\x23\x07", "\x22\xfe").by(noHash), // of decred; its checksum may be wrong
		with(37, "\x01\x42", "\x01\x43"),                                             // BIP-38
		of(4+1+4+4+32+33, func(b []byte) bool { return b[45] == 0 }),                 // BIP-32; a public key would begin with 2 or 3
		ripple(all(with(16, "\x21", "\x01\xe1\x4b"), with(32, "\x20", "\x22"))),      // seeds (s…, sEd…) and private keys (p…) of xrp
		codecs{
			{enc: base58Check{}, check: func(r *reader) fault { return unless(hasAnyPrefix(r.s, tezosSecrets...)) }},
			{enc: strkey, prefix: "\x90", size: 32},                        // a seed of stellar (S…)
			{enc: base58Check{hash: noHash}, size: ed25519.PrivateKeySize}, // a key of ed25519, if isSecretWord finds it so
		})
}()

var tezosSecrets = []string{"edsk", "spsk", "p2sk", "BLsk", "edesk", "spesk", "p2esk", "BLesk", "seesk", "sask"}

func hasAnyPrefix(s string, prefixes ...string) bool {
	return slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(s, p) })
}
