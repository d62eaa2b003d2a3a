package opensanctions_test

import (
	"fmt"
	"io"
	"runtime"
	"testing"

	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/opensanctions"
)

// TestMemory checks that Parse holds little of the entities that may hold wallets: they
// are most of a dataset.
func TestMemory(t *testing.T) {
	n := longtest.N(20_000, 50_000)
	r, w := io.Pipe()
	go func() {
		for i := range n {
			fmt.Fprintf(w, `{"id": "NK-abcdefghijklmnop%06d", "caption": "Person %d", "schema": "Person", "properties": {}}`+"\n", i, i)
		}
		fmt.Fprintf(
			w,
			`{"id": "wallet", "caption": "", "schema": "CryptoWallet", "properties": {"publicKey": ["%s"], "holder": ["NK-abcdefghijklmnop%06d"]}}`+"\n",
			evm,
			n-1,
		)
		w.Close()
	}()
	live := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before, held := live(), uint64(0)
	_, err := opensanctions.Parse(r, func(e sources.Entry) error {
		held = live() - before
		if want := fmt.Sprintf("Person %d", n-1); e.Name != want {
			t.Errorf("name %q, want %q", e.Name, want)
		}
		return nil
	})
	if err != nil || held/uint64(n) > 64 {
		t.Errorf("%d bytes held for each entity, %v, want at most 64", held/uint64(n), err)
	} else {
		t.Logf("%d bytes held for each entity", held/uint64(n))
	}
}
