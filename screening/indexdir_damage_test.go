package screening_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/walletscreen/walletscreen/screening"
)

// replace replaces a file that may be in use.
func replace(t testing.TB, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name+"~", data, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(name+"~", name); err != nil {
		t.Fatal(err)
	}
}

// named returns the names of the manifest of the list of short, of its index, and of that
// of what it had.
func (h *home) named(t testing.TB) []string {
	t.Helper()
	names := h.names(t, ".json")
	for _, of := range regexp.MustCompile(`"index":"(\w+)"`).FindAllStringSubmatch(h.manifest(t), -1) {
		names = append(names, filepath.Join(h.indexes, ofac.ID+"-"+of[1]+".index"))
	}
	if len(names) != 3 {
		t.Fatalf("files %q, want a manifest and two indexes", names)
	}
	return names
}

// TestIndexDirDamage changes and cuts each file at many places: nothing is answered from
// it, what the store has is, and the next start has good files again.
func TestIndexDirDamage(t *testing.T) {
	h, src := short(t)
	want := heldShort(t, h.opened(t, 4, src))
	files := h.named(t)
	other, err := os.ReadFile(files[2])
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(name)
		if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
			t.Errorf("%s has the mode %v, %v", name, info.Mode(), err)
		}
		damaged := map[string][]byte{"empty": nil, "longer": append(slices.Clone(data), 0), "zeros": make([]byte, len(data)), "gone": nil}
		if !bytes.Equal(data, other) {
			damaged["another one"] = other
		}
		for i := 0; i < len(data); i += 1 + len(data)/50 {
			changed := slices.Clone(data)
			changed[i] ^= 1 << (i % 8)
			damaged[fmt.Sprint("changed at ", i)] = changed
			damaged[fmt.Sprint("cut at ", i)] = data[:i]
		}
		for what, data := range damaged {
			if replace(t, name, data); what == "gone" {
				os.Remove(name)
			}
			s, loads := h.start(t, src)
			if got := heldShort(t, s); got != want || loads != 1 {
				t.Fatalf("%s %s: %d lists are read from the store, and\n%s", filepath.Base(name), what, loads, cmp.Diff(want, got))
			}
			if logged := strings.Contains(h.log.String(), "level=ERROR"); logged != (what != "gone") {
				t.Errorf("%s %s: the log says\n%s", filepath.Base(name), what, &h.log)
			}
			s, loads = h.start(t, src)
			if got := heldShort(t, s); got != want || loads != 0 {
				t.Fatalf("%s %s: the next start reads %d lists from the store, and\n%s\n%s", filepath.Base(name), what, loads, cmp.Diff(want, got), &h.log)
			}
		}
	}
}

// manifest returns the manifest of the only list of h, without its checksum.
func (h *home) manifest(t testing.TB) string {
	t.Helper()
	data, err := os.ReadFile(h.names(t, ".json")[0])
	if err != nil {
		t.Fatal(err)
	}
	text, _, _ := strings.Cut(string(data), "\n")
	return text
}

// sign writes text as the manifest of the only list of h, with its checksum.
func (h *home) sign(t testing.TB, text string) {
	t.Helper()
	text += "\n"
	replace(t, h.names(t, ".json")[0], fmt.Appendf(nil, "%s%x\n", text, sha256.Sum256([]byte(text))))
}

// resign replaces text in the manifest of h, and has its checksum right.
func resign(t testing.TB, h *home, old, new string) {
	t.Helper()
	text := h.manifest(t)
	if !strings.Contains(text, old) {
		t.Fatalf("the manifest has no %s:\n%s", old, text)
	}
	h.sign(t, strings.Replace(text, old, new, 1))
}

// TestIndexDirOutdated has what another version or another program may have written, of
// which nothing must be answered.
func TestIndexDirOutdated(t *testing.T) {
	for name, change := range map[string]func(*testing.T, *home, *published){
		"another format": func(t *testing.T, h *home, _ *published) {
			resign(t, h, fmt.Sprintf(`"format":%d`, screening.IndexFormat), `"format":99`)
		},
		"another version": func(t *testing.T, h *home, _ *published) { resign(t, h, `"program":"`, `"program":"v0.1.2`) },
		"another source":  func(t *testing.T, h *home, _ *published) { resign(t, h, `"source":"OFAC_SDN"`, `"source":"OTHER"`) },
		"other keys":      func(t *testing.T, h *home, _ *published) { resign(t, h, `"filed":"1 `, `"filed":"1 7:00 `) },
		"another form":    func(t *testing.T, h *home, _ *published) { resign(t, h, `"filed":"1 `, `"filed":"2 `) },
		"an unknown kind": func(t *testing.T, h *home, _ *published) {
			resign(t, h, `"kinds":["SANCTIONED"]`, `"kinds":["SANCTIONED","NEW"]`)
		},
		"a negative number": func(t *testing.T, h *home, _ *published) { resign(t, h, `"entries":4`, `"entries":-4`) },
		"no digest":         func(t *testing.T, h *home, _ *published) { resign(t, h, `"Digest":"0000`, `"Digest":"","x":"0000`) },
		"another digest":    func(t *testing.T, h *home, _ *published) { resign(t, h, `"Digest":"0`, `"Digest":"1`) },
		"another time":      func(t *testing.T, h *home, _ *published) { resign(t, h, `"accepted":"20`, `"accepted":"19`) },
		"a path":            func(t *testing.T, h *home, _ *published) { resign(t, h, `"index":"`, `"index":"../../`) },
		"another index":     func(t *testing.T, h *home, _ *published) { resign(t, h, `"index":"`, `"index":"00`) },
		"no JSON":           func(t *testing.T, h *home, _ *published) { resign(t, h, `{`, `[`) },
		"with NoKeyMatch": func(t *testing.T, h *home, _ *published) {
			resign(t, h, `"accounts_only":false`, `"accounts_only":true`)
		},
		"Options.NoKeyMatch": func(t *testing.T, h *home, _ *published) { h.opts.NoKeyMatch = true },
		"a newer list": func(t *testing.T, h *home, src *published) {
			src.publish(append(src.entries, sanctioned("tron", "TUCsTq7TofTCJRRoHk6RvhMoS2mJLm5Yzq", "9"))...)
			loaded(t, &screening.Options{Store: openStore(t, h.lists)}, src)
		},
		"an older one": func(t *testing.T, h *home, src *published) {
			lists, err := filepath.Glob(filepath.Join(h.lists, "*.list"))
			if err != nil || len(lists) != 2 || os.Remove(lists[1]) != nil {
				t.Fatalf("%q, %v", lists, err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			h, src := short(t)
			change(t, h, src)
			want := func() string {
				s := newScreener(t, &screening.Options{Store: openStore(t, h.lists), NoKeyMatch: h.opts.NoKeyMatch}, src)
				s.Open(ctx)
				return heldShort(t, s)
			}
			for i, n := range []int{1, 0} { // the first start writes it anew
				s, loads := h.start(t, src)
				if d := cmp.Diff(want(), heldShort(t, s)); d != "" || loads != n {
					t.Errorf("start %d: %d lists are read from the store, want %d; -store +index\n%s\n%s", i, loads, n, d, &h.log)
				}
			}
		})
	}
}

// TestIndexDirLong damages the index of a long list, so that it would miss what is
// asked: it is not answered from, not even until it is loaded again.
func TestIndexDirLong(t *testing.T) {
	const n = 70_000
	h, listed := newHome(t), randomEVM(n, 1)
	h.loaded(t, long(listed))
	for _, name := range h.names(t, ".index") {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		clear(data[256 : 256+n]) // its filters, which are what comes first
		replace(t, name, data)
	}
	s, loads := h.start(t, &flaky{info: ofac, load: down})
	if r, err := s.ScreenText("ethereum", listed[n/2]); err != nil || r.Score != 100 || loads != 1 {
		t.Errorf("%+v, %v, %d lists are read from the store", r, err, loads)
	}
	if !strings.Contains(h.log.String(), "level=ERROR") {
		t.Errorf("the log says\n%s", &h.log)
	}
}

// TestIndexDirForged changes indexes and has all checksums right, which is not found out:
// then any answer may come, and no panic.
func TestIndexDirForged(t *testing.T) {
	h, src := short(t)
	taken := 0
	for _, name := range h.named(t)[1:] {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := 256; i < len(data); i += 1 + len(data)/300 { // after the header
			h, data := h.copy(t), slices.Clone(data)
			data[i] ^= 1 << (i % 8)
			block := crc32.Checksum(data[256:], crc32.MakeTable(crc32.Castagnoli))
			body := sha256.Sum256(binary.LittleEndian.AppendUint32(nil, block))
			header := sha256.Sum256(append(append(data[:120:120], body[:]...), data[152:224]...))
			copy(data[120:], body[:])
			copy(data[224:], header[:])
			digest := hex.EncodeToString(header[:])
			replace(t, filepath.Join(h.indexes, ofac.ID+"-"+digest+".index"), data)
			resign(t, h, strings.TrimSuffix(filepath.Base(name), ".index")[len(ofac.ID)+1:], digest)

			s, loads := h.start(t, src)
			taken += 1 - loads
			for _, a := range shortPool {
				s.Screen(a)
			}
			s.ScreenText("ethereum", paymentID)
			s.Entries(0)
			src.publish(append(src.entries[1:], src.entries[0])...)
			s.Refresh(ctx)
		}
	}
	if taken < 100 {
		t.Errorf("%d of them were taken: the test proves little", taken)
	}
}

// FuzzIndexDir has manifests of all kinds, with a right checksum: none makes a panic.
func FuzzIndexDir(f *testing.F) {
	h, src := short(f)
	text := h.manifest(f)
	f.Add(text)
	f.Add(strings.ReplaceAll(text, "1", "-1"))
	f.Fuzz(func(t *testing.T, text string) {
		h := h.copy(t)
		h.sign(t, strings.ReplaceAll(text, "\n", ""))
		s, _ := h.start(t, src)
		heldShort(t, s)
		refresh(t, s)
	})
}
