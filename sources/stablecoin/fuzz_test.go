package stablecoin_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/sources/stablecoin"
)

// FuzzDecode checks that accepted logs are in order, in the requested range,
// and of accounts that appear in the response.
func FuzzDecode(f *testing.F) {
	all, err := json.Marshal(eventful().logs)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(all, uint64(0), uint64(1000))
	for _, l := range eventful().logs {
		one, err := json.Marshal([]any{l})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(one, uint64(20), uint64(999))
	}
	f.Add([]byte("[]"), uint64(0), uint64(0))
	f.Add([]byte("null"), uint64(0), uint64(0))
	f.Add([]byte(`[{}]`), uint64(0), uint64(0))
	f.Fuzz(func(t *testing.T, result []byte, from, to uint64) {
		changes, err := stablecoin.Decode(result, from, to)
		if err != nil {
			if changes != nil {
				t.Errorf("an error, %v, and %v", err, changes)
			}
			return
		}
		text := strings.ToLower(string(result))
		for i, c := range changes {
			if c.Block < from || c.Block > to {
				t.Errorf("change %+v was not asked for", c)
			}
			if i > 0 && (c.Block < changes[i-1].Block || c.Block == changes[i-1].Block && c.Index < changes[i-1].Index) {
				t.Errorf("change %+v stands behind %+v", c, changes[i-1])
			}
			if !strings.Contains(text, c.Account[2:]) && !strings.Contains(text, `\u`) {
				t.Errorf("account %s stands nowhere in %q", c.Account, result)
			}
		}
	})
}
