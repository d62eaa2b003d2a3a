package httpapi_test

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/screening"
)

// TestAppendResult holds the answers to real questions against encoding/json.
func TestAppendResult(t *testing.T) {
	s := newLoadedScreener(t)
	for _, q := range []struct {
		chain   address.Chain
		address string
	}{
		{"ethereum", "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf"},
		{"ethereum", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"},
		{"bsc", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"},
		{"bitcoin", "bc1qpa78qajm34ypqk6unwwn9tgxrc9evaez76c64s"},
		{"monero", "5be5543ff73456ab9f2d207887e2af87322c651ea1a873c5b25b7ffae456c320"},
	} {
		r, err := s.ScreenText(q.chain, q.address)
		if err != nil {
			t.Fatal(err)
		}
		got, want := httpapi.AppendResult(q.address, string(q.chain), r, time.Now().Add(90*time.Minute))
		if !bytes.Equal(got, want) {
			t.Errorf("%v:\n got %s\nwant %s", q, got, want)
		}
	}
}

// TestFreshness holds data_freshness against a map.
func TestFreshness(t *testing.T) {
	status := newLoadedScreener(t).Sources()
	slices.SortFunc(status, func(a, b screening.SourceStatus) int { return cmp.Compare(a.Info.ID, b.Info.ID) })
	if got, want := httpapi.Freshness(status, time.Now().Add(time.Hour)); !bytes.Equal(got, want) {
		t.Errorf("\n got %s\nwant %s", got, want)
	}
}

// FuzzAppendJSON holds what is sent against encoding/json.
func FuzzAppendJSON(f *testing.F) {
	var ascii strings.Builder
	for c := range 128 {
		ascii.WriteByte(byte(c))
	}
	for _, s := range []string{
		"", ascii.String(), `"\`, "a\"", "\\b", "<&>",
		"é€😀", "\u2028\u2029", "\ufffd", // the real one is not escaped
		"\xff", "a\xc3", "\xed\xa0\x80", "\xf4\x90\x80\x80", // not UTF-8
		"\u0085\u00a0\ufeff",
	} {
		f.Add(s, int64(0), int64(1_700_000_000), uint8(2))
	}
	f.Add("", int64(-1), int64(0), uint8(0))
	f.Add("x", int64(1<<62), int64(253402300799), uint8(1))
	f.Add("x", int64(100), time.Time{}.Unix(), uint8(1))
	f.Fuzz(func(t *testing.T, s string, i, unix int64, n uint8) {
		if got, want := httpapi.AppendString(s); !bytes.Equal(got, want) {
			t.Errorf("string %q:\n got %s\nwant %s", s, got, want)
		}
		at := time.Unix(unix%253402300800, 0).In(time.FixedZone("", 3600))
		if at.UTC().Year() < 1 {
			at = time.Time{}
		}
		got, want := httpapi.AppendAny(s, i, at, int(n%4))
		if !bytes.Equal(got, want) {
			t.Errorf("%q %d %v:\n got %s\nwant %s", s, i, at, got, want)
		}
		if n%4 > 0 && !at.IsZero() && !bytes.Contains(got, []byte(at.UTC().Format(`"2006-01-02T15:04:05Z"`))) {
			t.Errorf("%v is not in UTC: %s", at, got)
		}
	})
}

func BenchmarkAppendResult(b *testing.B) {
	for _, bench := range []struct{ name, address string }{
		{"clean", "0x7e5f4552091a69125d5dfcb7b8c2659029395bdf"},
		{"listed", "0x098b716b8aaf21512996dc57eb0615e2383e2f96"},
	} {
		r, err := newLoadedScreener(b).ScreenText("ethereum", bench.address)
		if err != nil {
			b.Fatal(err)
		}
		b.Run("append/"+bench.name, func(b *testing.B) {
			b.ReportAllocs()
			var buf []byte
			for b.Loop() {
				buf = httpapi.AppendOnly(buf[:0], bench.address, "ethereum", r)
			}
		})
		b.Run("encodingjson/"+bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				httpapi.MarshalOnly(bench.address, "ethereum", r)
			}
		})
	}
}
