package address

// arweave is the format of arweave: 43 characters of the URL-safe Base64, for 32
// bytes, the SHA-256 of a key. The last character carries two bits that must be
// zero. There is no checksum. Text that proves to be an address of another
// chain, as one in bech32 of 43 characters, is none.
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
