package visible_test

import (
	"slices"
	"testing"

	"github.com/walletscreen/walletscreen/internal/visible"
)

func TestPlain(t *testing.T) {
	for r, want := range map[rune]string{
		'\u200b': "", '\u00ad': "", '\ufeff': "", '\u034f': "", '\ufe0f': "", '\u202e': "",
		'\u00a0': " ", '\u3000': " ", '\u202f': " ",
		'\u2028': "\n", '\u0085': "\n",
		'\u0665': "5", '\u06f9': "9", '๓': "3", '𝟎': "0", '𝟵': "9", '𝟿': "9", '𝐀': "A", '𝗓': "z", '𝚊': "a",
		'\u2011': "-", '│': "|", '０': "0", 'ｘ': "x", '～': "~",
	} {
		if got, ok := visible.Plain(r); !ok || got != want {
			t.Errorf("Plain(%U) = %q, %v, want %q", r, got, ok, want)
		}
	}
	for _, r := range "a0 \n\té\u0301АΩ漢한\u2014" {
		if got, ok := visible.Plain(r); ok {
			t.Errorf("Plain(%U) = %q, want that it stands for itself", r, got)
		}
	}
}

func TestLatin(t *testing.T) {
	for r, want := range map[rune]string{'Т': "T", 'а': "a", 'Ζ': "Z", 'ο': "o", 'ӏ': "l", 'Օ': "O", 'н': "", 'Я': "", 'Ω': "", 'T': "", 'é': "", '漢': ""} {
		if got := visible.Latin(r); got != want {
			t.Errorf("Latin(%q) = %q, want %q", r, got, want)
		}
	}
}

func TestAlike(t *testing.T) {
	const evm = "0x57ec89a0c056163a0314e413320f9b3abe761259"
	for text, want := range map[string]string{
		"Ox57ec89aOcO56l63aO3l4e4l332Of9b3abe76l259":               evm,
		"57ec89aOc056163a0314e413320f9b3abe761259":                 evm[2:],
		"lBgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH":                       "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH",
		"TR7NHqjeKQxGTCi8q8ZY4pL80tSzgjLj6t":                       "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
		"GAAZI4TCR3TY50JHCTJC2A4QSY6CJWJH5IAJTGKIN2ER7LBNVKOCCWN7": "GAAZI4TCR3TY5OJHCTJC2A4QSY6CJWJH5IAJTGKIN2ER7LBNVKOCCWN7",
		"bclqwtz3zv95x2flu4w26kgfepf529z5Or2sqc5zml":               "bc1qwtz3zv95x2flu4w26kgfepf529z50r2sqc5zml",
		"BCLQWTZ3ZV95X2FLU4W26KGFEPF529Z50R2SQC5ZML":               "BC1QWTZ3ZV95X2FLU4W26KGFEPF529Z50R2SQC5ZML",
		"c0smosljv65s3grqf6v6jI3dp4t6c9t9rk99cd88lyufl":            "cosmos1jv65s3grqf6v6jl3dp4t6c9t9rk99cd88lyufl",
		"bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdxba":   "bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a",
	} {
		got := visible.Alike(text)
		if !slices.Contains(got, want) || slices.Contains(got, text) {
			t.Errorf("Alike(%q) = %q, want %q among them", text, got, want)
		}
	}
	if got := visible.Alike("hello"); slices.Contains(got, "hello") {
		t.Errorf("Alike(hello) = %q", got)
	}
}
