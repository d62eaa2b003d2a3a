package bech32_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/internal/bech32"
)

// TestEnds checks concatenated texts that end with something other than a digit.
func TestEnds(t *testing.T) {
	for _, v := range []bech32.Variant{bech32.Bech32, bech32.Bech32m} {
		text := bech32.Encode("bc", bech32.Unpack([]byte{1}, []byte("twenty bytes or more")), v)
		data := text[len("bc1"):]
		for _, tt := range []struct {
			data string
			want []int
		}{
			{data, []int{len(data)}},
			{data + "qqqqqqqq", []int{len(data)}},
			{data + "bc1", []int{len(data)}},
			{strings.ToUpper(data), []int{len(data)}},
			{strings.ToUpper(data) + "q", []int{len(data)}},
			{strings.ToUpper(data[:30]) + data[30:], nil},
			{data[:len(data)-1], nil},
			{"q" + data[1:], nil},
			{"", nil},
		} {
			if got := bech32.Std.Ends(nil, "bc", tt.data); !slices.Equal(got, tt.want) {
				t.Errorf("Ends(bc, %q) = %v, want %v", tt.data, got, tt.want)
			}
		}
	}
}
