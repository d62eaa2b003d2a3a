package screening_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
)

// TestLabelJSON checks that labels survive JSON, except for their points, and that other JSON
// is an error.
func TestLabelJSON(t *testing.T) {
	day := time.Date(2026, 11, 1, 2, 3, 4, 0, time.UTC)
	label := screening.Label{Kind: score.Sanctioned, Match: score.Key, Source: "OFAC_SDN", Ref: "1", Name: `"A" & <B>`, Listed: "x\u2028", AddedAt: day}
	want := []screening.Suppressed{{Label: label, Reason: "a & b", Author: "J. Doe", Expires: day.Add(time.Hour)}, {Label: screening.Label{Match: score.Exact}}}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got []screening.Suppressed
	if err := json.Unmarshal(text, &got); err != nil || cmp.Diff(want, got) != "" {
		t.Errorf("%s: %v\n%s", text, err, cmp.Diff(want, got))
	}
	var labels []screening.Label
	if err := json.Unmarshal(text, &labels); err != nil || labels[0] != label {
		t.Errorf("as labels: %+v, %v", labels, err)
	}
	for _, text := range []string{`1`, `{"match":"nearly"}`, `{"added_at":"yesterday"}`, `{"label":1}`} {
		if err := json.Unmarshal([]byte(text), new(screening.Label)); err == nil {
			t.Errorf("a label in %s: no error", text)
		}
		if err := json.Unmarshal([]byte(text), new(screening.Suppressed)); err == nil {
			t.Errorf("a suppressed label in %s: no error", text)
		}
	}
	if err := json.Unmarshal([]byte(`{"expires_at":"never"}`), new(screening.Suppressed)); err == nil {
		t.Error("a suppressed label without a time: no error")
	}
}
