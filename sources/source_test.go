package sources_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"time"

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
	for _, r := range []sources.Revision{{Digest: "a"}, {Records: 1}, {ETag: "a"}, {LastModified: "a"}, {Partial: true}, {Published: time.Unix(0, 0)}, {Checked: time.Unix(0, 0)}} {
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
