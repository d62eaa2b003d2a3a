package visible_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/internal/visible"
)

func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"": "",
		"Иванов & Söhne – 株式会社 😀":   "Иванов & Söhne – 株式会社 😀",
		"a\x1b[31mb\r\nc\x00":       "a [31mb  c ",
		"a\u0085b\u009bc":           "a b c",
		"\u202eevil\u202c":          "evil",
		"a\u200bb\ufeffc\u00add":    "abcd",
		"a\u2028b\u2029c":           "a b c",
		"\u2066x\u2069\u200f":       "x",
		"a\u3164\u115f\ufe0f\u034f": "a",
		"a\U000e0041b":              "ab",
		"a\u00a0b":                  "a\u00a0b",
	} {
		if got := visible.Text(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func TestCell(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "plain": "plain", "a=1": "a=1", "0x1": "0x1",
		"=1": "'=1", "+1": "'+1", "-1": "'-1", "@x": "'@x", "\t=1": "' =1", "\u200b=1": "'=1", "\u00a0=1": "'\u00a0=1", "＝1": "'＝1", "＠x": "'＠x",
	} {
		if got := visible.Cell(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

func FuzzJSON(f *testing.F) {
	for _, s := range []string{"plain", "\u202ea\u200b\U000e0041\u0085\x7f", "\\u202e\"\n", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		line, err := json.Marshal(map[string]string{"name": text})
		if err != nil {
			t.Fatal(err)
		}
		var want, got map[string]string
		escaped := visible.JSON(line)
		if err := json.Unmarshal(line, &want); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(escaped, &got); err != nil || got["name"] != want["name"] {
			t.Errorf("%q is %q, %v", line, escaped, err)
		}
		if shown := visible.Text(string(escaped)); shown != string(escaped) && !strings.Contains(shown, " ") {
			t.Errorf("%q has hidden characters", escaped)
		}
	})
}
