package sqlstore_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/httpapi/access/internal/sqlstore"
)

// count returns the number of rows of a table.
func count(t *testing.T, s *sqlstore.Store, table string) (n int) {
	t.Helper()
	if err := s.DB().QueryRow(`select count(*) from ` + table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestForgetMonths checks that the current month and the previous twelve are
// stored, and no others.
func TestForgetMonths(t *testing.T) {
	onEach(t, func(t *testing.T, d database) {
		s := d.must(t, d.new(t))
		for m := month - 30; m <= month; m++ {
			for _, id := range []string{"a", "b"} {
				if _, _, _, err := s.Lease(t.Context(), id, m, 1, 1); err != nil {
					t.Fatal(err)
				}
			}
			kept := min(int(m-(month-30))+1, 13)
			// The lease of the first of the two keys has deleted the old month.
			if n := count(t, s, "walletscreen_lease"); n != 2*kept {
				t.Errorf("in month %v, %d totals are kept, want %d", m, n, 2*kept)
			}
		}
		if n, err := s.Leased(t.Context(), "a", month-12); err != nil || n != 1 {
			t.Errorf("a year ago, leased was %d, %v, want 1", n, err)
		}
	})
}

// TestForgetClaims checks that a fresh claim deletes expired ones, and no others.
func TestForgetClaims(t *testing.T) {
	onEach(t, func(t *testing.T, d database) {
		at := d.new(t)
		s := d.must(t, at)
		expires := time.Now().Add(time.Hour)
		claim := func(s *sqlstore.Store, n int) access.Claim {
			c := access.Claim{KeyID: "a", Token: [32]byte{byte(n >> 8), byte(n)}, Expires: expires}
			if held, err := s.Claim(t.Context(), c); err != nil || held.Repeats > 0 {
				t.Fatalf("claim %d: %d repeats, %v", n, held.Repeats, err)
			}
			return c
		}
		for n := range 250 {
			claim(s, n)
		}
		if _, err := s.DB().Exec(`update walletscreen_claim set expires = 1 where token not like '00f9%'`); err != nil {
			t.Fatal(err)
		}
		s = d.must(t, at) // which has not looked for any yet
		for i, want := range []int{2, 3, 4} {
			claim(s, 1000+i)
			if n := count(t, s, "walletscreen_claim"); n != want {
				t.Errorf("after %d more claims there are %d, want %d", i+1, n, want)
			}
		}
		if held, err := s.Claim(t.Context(), access.Claim{KeyID: "a", Token: [32]byte{0, 249}, Expires: expires}); err != nil || held.Repeats == 0 {
			t.Errorf("what is held has been deleted: %+v, %v", held, err)
		}
	})
}

// TestBoundClaims checks that the claims of a key are bounded, the oldest go first, and the claims
// of other keys stay.
func TestBoundClaims(t *testing.T) {
	onEach(t, func(t *testing.T, d database) {
		s := d.must(t, d.new(t))
		s.BoundClaims(10)
		begin := time.Now().Add(time.Hour)
		claim := func(id string, n int) bool {
			held, err := s.Claim(t.Context(), access.Claim{KeyID: id, Token: [32]byte{byte(n)}, Expires: begin.Add(time.Duration(n) * time.Second)})
			if err != nil {
				t.Fatal(err)
			}
			return held.Repeats == 0
		}
		claim("b", 1)
		for n := range 50 {
			claim("a", n)
		}
		if n := count(t, s, "walletscreen_claim"); n != 11 {
			t.Errorf("%d claims are held, want 10 of one key and 1 of another", n)
		}
		if claim("a", 49) || claim("a", 40) || claim("b", 1) || !claim("a", 39) {
			t.Error("the claims that are held are not the newest")
		}
	})
}

// TestTouch sets the times of more keys than one statement does.
func TestTouch(t *testing.T) {
	const keys = 450
	onEach(t, func(t *testing.T, d database) {
		s := d.must(t, d.new(t))
		at := map[string]time.Time{"not stored": time.Now()}
		for i := range keys {
			id := fmt.Sprint("key-", i)
			if err := s.PutKey(t.Context(), access.Key{ID: id, Secret: [32]byte{1}}); err != nil {
				t.Fatal(err)
			}
			at[id] = time.UnixMicro(int64(i) + 1).UTC()
		}
		if err := s.Touch(t.Context(), at); err != nil {
			t.Fatal(err)
		}
		all, err := s.Keys(t.Context())
		if err != nil || len(all) != keys {
			t.Fatalf("%d keys, %v, want %d", len(all), err, keys)
		}
		for _, k := range all {
			if k.LastUsed != at[k.ID] {
				t.Errorf("%s was used at %v, want %v", k.ID, k.LastUsed, at[k.ID])
			}
		}
	})
}
