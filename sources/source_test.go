package sources_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

func TestInfoValidate(t *testing.T) {
	tests := []struct {
		name string
		info sources.Info
		ok   bool
	}{
		{"official", sources.Info{ID: "OFAC_SDN", Name: "n", Jurisdiction: sources.US}, true},
		{"community", sources.Info{ID: "LIST_2", Name: "n", Jurisdiction: sources.Community}, true},
		{"longest id", sources.Info{ID: strings.Repeat("A", 64), Name: "n", Jurisdiction: sources.EU}, true},
		{"zero", sources.Info{}, false},
		{"no id", sources.Info{Name: "n", Jurisdiction: sources.UK}, false},
		{"long id", sources.Info{ID: strings.Repeat("A", 65), Name: "n", Jurisdiction: sources.UK}, false},
		{"id in lower case", sources.Info{ID: "Ofac", Name: "n", Jurisdiction: sources.US}, false},
		{"id with a hyphen", sources.Info{ID: "OFAC-SDN", Name: "n", Jurisdiction: sources.US}, false},
		{"id with a letter beyond ASCII", sources.Info{ID: "ÖFAC", Name: "n", Jurisdiction: sources.US}, false},
		{"no name", sources.Info{ID: "A", Jurisdiction: sources.US}, false},
		{"no jurisdiction", sources.Info{ID: "A", Name: "n"}, false},
		{"the operator's own", sources.Info{ID: "OWN", Name: "n", Jurisdiction: sources.Operator}, true},
		{"United Nations", sources.Info{ID: "UN_SC", Name: "n", Jurisdiction: sources.UN}, true},
		{"a country", sources.Info{ID: "NBCTF", Name: "n", Jurisdiction: "IL"}, true},
		{"another country", sources.Info{ID: "MOF", Name: "n", Jurisdiction: "JP"}, true},
		{"a country with a digit", sources.Info{ID: "MOF", Name: "n", Jurisdiction: "J1"}, false},
		{"a country of three letters", sources.Info{ID: "MOF", Name: "n", Jurisdiction: "JPN"}, false},
		{"bytes that are not letters", sources.Info{ID: "MOF", Name: "n", Jurisdiction: "\xff\x00"}, false},
		{"unknown jurisdiction", sources.Info{ID: "A", Name: "n", Jurisdiction: "us"}, false},
	}
	for _, tt := range tests {
		if err := tt.info.Validate(); (err == nil) != tt.ok {
			t.Errorf("%s: Validate() of %+v = %v, want ok: %v", tt.name, tt.info, err, tt.ok)
		}
	}
}

func TestRevisionIsZero(t *testing.T) {
	if !(sources.Revision{}).IsZero() {
		t.Error("the zero Revision is not zero")
	}
	for _, r := range []sources.Revision{{Digest: "a"}, {Records: 1}, {ETag: "a"}, {LastModified: "a"}, {OpenEnded: true},
		{Completeness: sources.Partial}, {Published: time.Unix(0, 0)}, {Checked: time.Unix(0, 0)}} {
		if r.IsZero() {
			t.Errorf("%+v is zero", r)
		}
	}
}

func TestEntryText(t *testing.T) {
	if got := (sources.Entry{Address: list[0].Address, Listed: "x "}).Text(); got != "x " {
		t.Errorf("Text = %q, want Listed as it is", got)
	}
	if got, want := (sources.Entry{Address: list[0].Address}).Text(), list[0].Address.Normalized(); got != want {
		t.Errorf("Text = %q, want %q", got, want)
	}
}

func TestRecordError(t *testing.T) {
	tests := []struct {
		err  sources.RecordError
		want string
	}{
		{sources.RecordError{Line: 3, Byte: -1, Err: io.ErrUnexpectedEOF}, "line 3: unexpected EOF"},
		{sources.RecordError{Byte: 0, Err: io.ErrUnexpectedEOF}, "byte 0: unexpected EOF"},
		{sources.RecordError{Line: 3, Byte: 40, Ref: "27307", Err: io.ErrUnexpectedEOF}, `line 3, record "27307": unexpected EOF`},
	}
	for _, tt := range tests {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("Error() = %q, want %q", got, tt.want)
		}
		if !errors.Is(&tt.err, io.ErrUnexpectedEOF) {
			t.Errorf("%v does not wrap its reason", &tt.err)
		}
	}
}

func TestMayEmit(t *testing.T) {
	tests := []struct {
		kind                          score.Kind
		official, community, operator bool
	}{
		{score.Sanctioned, true, false, false},
		{score.TerroristFinancing, true, false, false},
		{score.StolenFunds, true, true, true},
		{score.CommunityReport, true, true, true},
		{score.Blocked, false, false, true},
	}
	for _, tt := range tests {
		for j, want := range map[sources.Jurisdiction]bool{sources.US: tt.official, "IL": tt.official, sources.Community: tt.community,
			sources.Operator: tt.operator} {
			if got := (sources.Info{Jurisdiction: j}).MayEmit(tt.kind); got != want {
				t.Errorf("a list of %s may emit %s: %v, want %v", j, tt.kind, got, want)
			}
		}
	}
}

func TestCompletenessText(t *testing.T) {
	for c, want := range map[sources.Completeness]string{sources.Whole: "whole", sources.Assembled: "assembled", sources.Partial: "partial"} {
		text, err := c.MarshalText()
		if err != nil || string(text) != want || c.String() != want {
			t.Errorf("%q is %q, %q, %v, want %q", string(c), text, c, err, want)
		}
		got := sources.Partial
		if err := got.UnmarshalText([]byte(want)); err != nil || got != c {
			t.Errorf("UnmarshalText(%q) = %q, %v", want, string(got), err)
		}
	}
	got := sources.Partial
	if err := got.UnmarshalText(nil); err != nil || got != sources.Whole {
		t.Errorf("UnmarshalText of nothing = %q, %v, want whole", string(got), err)
	}
	if err := got.UnmarshalText([]byte("some")); err == nil {
		t.Error(`UnmarshalText("some"): no error`)
	}
}

func TestInfoURL(t *testing.T) {
	for _, tt := range []struct{ pattern, ref, want string }{
		{"", "27307", ""},
		{"https://list.example/{ref}", "27307", "https://list.example/27307"},
		{"https://list.example/?id={ref}", "a b&c", "https://list.example/?id=a+b%26c"},
		{"https://list.example/{ref}", "", ""},
		{"https://list.example/notice", "", "https://list.example/notice"},
		{"https://list.example/notice", "27307", "https://list.example/notice"},
	} {
		if got := (sources.Info{RefURL: tt.pattern}).URL(tt.ref); got != tt.want {
			t.Errorf("URL(%q) of %q = %q, want %q", tt.ref, tt.pattern, got, tt.want)
		}
	}
}
