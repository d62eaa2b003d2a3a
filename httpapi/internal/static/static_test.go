package static

import (
	"net/http"
	"testing"
)

func TestCoded(t *testing.T) {
	f := NewFile("a.txt", []byte("text"))
	for accepted, want := range map[string]string{
		"": "", "gzip": "gzip", "GZIP": "gzip", "br, gzip": "gzip", "gzip;q=0": "", "gzip; q=0": "", "gzip;q=0.000": "", "gzip;Q=0": "",
		"gzip;q=0.5": "gzip", "gzip ; q=0.001": "gzip", "br;q=0, gzip": "gzip", "gzip;q=0, *": "", "*": "gzip", "*;q=0": "", "*;q=0, gzip;q=1": "gzip",
		"br": "", "identity": "", "notgzip": "", "gzip;q=x": "",
	} {
		if _, tag, got := f.Coded(http.Header{"Accept-Encoding": {accepted}}); got != want || (tag == `"`+f.tag+`"`) != (want == "") {
			t.Errorf("%q: %q, want %q", accepted, got, want)
		}
	}
	if _, _, got := f.Coded(http.Header{"Accept-Encoding": {"br", "gzip;q=0.2"}}); got != "gzip" {
		t.Errorf("two lines: %q, want gzip", got)
	}
}
