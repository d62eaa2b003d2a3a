package revision_test

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/internal/revision"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
)

// evm calls add for n entries of EVM addresses with 40 labels. It holds none.
func evm(b testing.TB, n int, add func(sources.Entry) error) {
	b.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	const digits = "0123456789abcdef"
	text := []byte("0x" + strings.Repeat("0", 40))
	for i := range n {
		for j := 2; j < len(text); j++ {
			text[j] = digits[r.IntN(16)]
		}
		a, err := address.Parse("ethereum", string(text))
		if err == nil {
			err = add(sources.Entry{Address: a, Kind: score.Scam, Name: labels[i/5%len(labels)], FirstSeen: accepted})
		}
		if err != nil {
			b.Fatal(err)
		}
	}
}

var labels = strings.Fields(strings.Repeat("drainer phishing exchange-hack mixer ", 10))

// million returns a file of a million entries, with as many random bytes as the tables
// of such a list have.
func million(b testing.TB) []byte {
	b.Helper()
	const n = 1_000_000
	var file bytes.Buffer
	h := header
	h.Entries, h.Rule = n, "1"
	w, err := revision.NewWriter(&file, h)
	if err != nil {
		b.Fatal(err)
	}
	evm(b, n, w.Entry)
	table := make([]byte, 29*n)
	r := rand.New(rand.NewPCG(3, 4))
	for i := 0; i+8 <= len(table); i += 8 {
		binary.LittleEndian.PutUint64(table[i:], r.Uint64())
	}
	if err := w.Table(bytes.NewReader(table)); err != nil {
		b.Fatal(err)
	}
	if err := w.Close(); err != nil {
		b.Fatal(err)
	}
	return file.Bytes()
}

// BenchmarkParse verifies a file of a million entries. The second figure is CRC-32C
// alone over as many bytes.
func BenchmarkParse(b *testing.B) {
	data := million(b)
	b.Run("verify", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		b.ReportMetric(float64(len(data))/1e6, "bytes/entry")
		for b.Loop() {
			if _, err := revision.Parse(data); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("crc32c", func(b *testing.B) {
		b.SetBytes(int64(len(data)))
		table := crc32.MakeTable(crc32.Castagnoli)
		for b.Loop() {
			crc32.Checksum(data, table)
		}
	})
	b.Run("header", func(b *testing.B) {
		for b.Loop() {
			if _, err := revision.ReadHeader(data); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("entries", func(b *testing.B) {
		f, err := revision.Parse(data)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for b.Loop() {
			for _, err := range f.Entries() {
				if err != nil {
					b.Fatal(err)
				}
			}
		}
	})
}

func BenchmarkWrite(b *testing.B) {
	var list []sources.Entry
	evm(b, 100_000, func(e sources.Entry) error { list = append(list, e); return nil })
	b.ReportAllocs()
	for b.Loop() {
		if err := writeTo(io.Discard, header, list); err != nil {
			b.Fatal(err)
		}
	}
}
