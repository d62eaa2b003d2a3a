package address

// arweave is the format of arweave: 43 characters of URL-safe Base64 that
// encode 32 bytes, the SHA-256 hash of a key. The last character contains two
// bits that must be zero. There is no checksum, so parse rejects text that is
// provably an address of another chain, such as a Bech32 address of 43
// characters.
//
// See the Arweave documentation, "Key format", and HTTP API.
type arweave struct{}

const (
	arweaveLen       = 43
	formArweave form = 0
)

func (arweave) parse(s string, tolerant bool) (string, form, fault) {
	if len(s) != arweaveLen {
		return "", 0, wrongLength(s)
	}
	var raw [32]byte
	alphabets, bad := decodeBase64(raw[:], s)
	if bad < 0 && alphabets == base64Std {
		for bad = 0; s[bad] != '+' && s[bad] != '/'; bad++ {
		}
	}
	if bad >= 0 {
		return "", 0, badChar(bad)
	}
	if isOneCase(s) && provesElsewhere(s) {
		return "", 0, badSyntax
	}
	return s, formArweave, fault{}
}

func (arweave) canonical(text string, f form) (string, form) { return text, f }

func (arweave) account(text string, f form) (words, tag) {
	var b [32]byte
	decodeBase64(b[:], text)
	return key32(0, &b)
}

func (arweave) key(string, form) (words, tag) { return words{}, 0 }

func (arweave) proves(form) bool { return false }
