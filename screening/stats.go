package screening

import (
	"maps"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/sources"
)

// Stats say what questions are answered from, for people who operate a program
// or want to know what a list costs.
type Stats struct {
	// Digest names the snapshot; see [Result.Digest].
	Digest string
	// Sources are the lists, in the order in which New got their sources.
	Sources []SourceStats
}

// SourceStats are the Stats of one list. All but Source is zero as long as the
// list is not loaded.
type SourceStats struct {
	// Source is its id.
	Source string
	// Entries is the number of entries, repetitions included, and Addresses that
	// of distinct addresses: strings in their normal form, each once whatever the
	// chain, unless it is another account there.
	Entries, Addresses int
	// Chains are the entries by the chain for which they are listed, and by "" if
	// the listed string is no address.
	Chains map[address.Chain]int
	// Keys is the number of distinct keys under which the entries are to be found:
	// as a rule one for an address, more where it names several that control it, or
	// where another account has the same key, as a "3…" address that wraps a SegWit one.
	// Classes are the keys by what they are: the name of an [address.Class], such
	// as "h160"; "account" where an account shows no more than itself; and "text"
	// for the string of an entry that is no address.
	Keys    int
	Classes map[string]int
	// Anomalies are the entries that are odd, by how; [Screener.Anomalies] has
	// them.
	Anomalies map[sources.AnomalyKind]int
	// Bytes is the memory that answers need of the list, and BytesPerEntry its
	// share of each of the entries. What the list had and has no more takes more,
	// which is not counted.
	Bytes         int
	BytesPerEntry float64
	// Mapped reports whether that memory is a file in Options.IndexDir, which it shares
	// with other processes that have opened the same list.
	Mapped bool
	// Built is when the list was made ready for answers in this program, in UTC,
	// and BuildTime how long that took, after it was loaded.
	Built     time.Time
	BuildTime time.Duration
}

// Stats returns the Stats of the snapshot from which questions are answered now.
// It costs little: all was counted when the lists were loaded. The answer is the
// caller's own.
func (s *Screener) Stats() Stats {
	snap := s.snap.Load()
	stats := Stats{Digest: snap.digest, Sources: make([]SourceStats, len(snap.lists))}
	for i, l := range snap.lists {
		st := &stats.Sources[i]
		st.Source = s.infos[i].ID
		if l.segment == nil {
			continue
		}
		st.Entries, st.Addresses, st.Anomalies = l.count, l.segment.Addresses, maps.Clone(l.anomalies.Counts)
		st.Chains, st.Classes = maps.Clone(l.segment.Chains), maps.Clone(l.segment.Classes)
		st.Keys, st.Bytes = l.segment.index.Len(), l.segment.index.Size()
		if l.count > 0 {
			st.BytesPerEntry = float64(st.Bytes) / float64(l.count)
		}
		st.Mapped = l.segment.mapped
		st.Built, st.BuildTime = l.segment.built.UTC(), l.segment.took
	}
	return stats
}
