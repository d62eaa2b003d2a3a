package address

// antelope is the format of eos and wax: an account is a name of 1 to 12
// lower-case letters, digits from 1 to 5, and dots that are neither first nor
// last. There is no checksum. A public key is not an account.
//
// See the Antelope documentation, "Accounts and permissions: naming
// conventions".
type antelope struct{}

const (
	antelopeMaxLen      = 12
	formAntelope   form = 0
)

func (antelope) parse(s string, tolerant bool) (string, form, fault) {
	if len(s) == 0 || len(s) > antelopeMaxLen {
		if isAntelopeKey(s) {
			return "", 0, badSyntax
		}
		return "", 0, wrongLength(s)
	}
	for i := range len(s) {
		switch c := s[i]; {
		case 'a' <= c && c <= 'z', '1' <= c && c <= '5':
		case c == '.' && i > 0 && i < len(s)-1:
		default:
			return "", 0, badChar(i)
		}
	}
	if isServiceName(s) {
		return "", 0, badSyntax
	}
	return s, formAntelope, fault{}
}

// isAntelopeKey reports whether s looks like a private key: "PVT_K1_…" or, as
// Bitcoin writes keys, "5" and 50 characters of Base58.
func isAntelopeKey(s string) bool {
	if hasAnyPrefix(s, "PVT_") {
		return true
	}
	if len(s) != 51 || s[0] != '5' {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case '1' <= c && c <= '9', 'A' <= c && c <= 'Z', 'a' <= c && c <= 'z':
		default:
			return false
		}
	}
	return true
}

func (antelope) canonical(text string, f form) (string, form) { return text, f }

func (antelope) account(text string, f form) (words, tag) { return textKey(0, text) }

func (antelope) key(string, form) (words, tag) { return words{}, 0 }

func (antelope) proves(form) bool { return false }
