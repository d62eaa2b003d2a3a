package bundle

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/csv"
	"encoding/hex"
	"io"
	"time"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/info"
	"github.com/walletscreen/walletscreen/sources/internal/unpack"
)

//go:embed announcements.csv
var fbiFile []byte

//go:embed doj.csv
var dojFile []byte

//go:embed graphsense.csv.gz
var graphSenseFile []byte

// FBI returns the announcements in which the FBI names wallet addresses of stolen
// cryptocurrency:
//
//   - 23 January 2023, theft from Harmony's Horizon bridge: 11 addresses
//   - 22 August 2023, funds stolen by TraderTraitor (Lazarus Group): 6
//   - 6 September 2023, theft from Stake.com: 33
//   - 26 February 2025, I-022625-PSA, theft from Bybit: 51
//
// They are final, and no sanctions list: the entries are [score.StolenFunds]. The Ref of an
// entry is the number of its announcement, or its address; Info.URL makes an address of both.
// ListedAt is the day of the announcement.
func FBI() sources.Source {
	return &source{info: info.FBI, file: fbiFile,
		document: "public copies of the announcements of 2023-01-23, 2023-08-22, 2023-09-06 and 2025-02-26"}
}

// DOJ returns the 155 addresses that the US Department of Justice named for seizure in its
// forfeiture complaint of 13 August 2020 against the campaigns of al-Qaeda. It is final, and
// no sanctions list: its entries are [score.Seized].
func DOJ() sources.Source {
	return &source{info: info.DOJ, file: dojFile,
		document: "GraphSense's TagPack of the attachment of a press release, graphsense/graphsense-tagpacks 29ff93c8"}
}

// GraphSense returns addresses that received ransoms, by two studies that end in 2017 and
// 2022, and addresses of thieves of hacked services until 2018: the tags with an abuse in
// three TagPacks of GraphSense. The Ref of an entry is its source, its Name the family or the
// hack. It is final: Ransomwhere of package badlist goes on.
func GraphSense() sources.Source {
	return &source{info: info.GraphSense, file: graphSenseFile,
		document: "the TagPacks ransomware, ransomwhere and hacks, graphsense/graphsense-tagpacks 29ff93c8"}
}

// loadDocument reads a CSV file, perhaps in gzip, with the columns listed_on, asset, address, kind,
// ref and name. Ref is the address of the document, or its number. An empty cell repeats the cell
// above it. The list is published, and was checked, on the day of its newest row.
func (s *source) loadDocument(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (rev sources.Revision, err error) {
	sum := sha256.Sum256(s.file)
	rev = sources.Revision{Digest: hex.EncodeToString(sum[:]), Provenance: s.document}
	if prev.Digest == rev.Digest {
		rev.Published, rev.Checked, rev.Records = prev.Published, prev.Published, prev.Records
		return rev, cmp.Or(ctx.Err(), sources.ErrUnchanged)
	}
	r := csv.NewReader(unpack.Gunzip(bytes.NewReader(s.file), false))
	r.FieldsPerRecord, r.ReuseRecord = 6, true
	if _, err := r.Read(); err != nil {
		return rev, err
	}
	var e sources.Entry
	for {
		row, err := r.Read()
		if err == io.EOF {
			rev.Checked = rev.Published
			return rev, ctx.Err()
		}
		if err == nil {
			err = ctx.Err()
		}
		if err == nil && row[0] != "" {
			e.ListedAt, err = time.Parse(time.DateOnly, row[0])
		}
		if err != nil {
			return rev, err
		}
		e.Asset, e.Listed, e.Kind = cmp.Or(row[1], e.Asset), row[2], cmp.Or(score.Kind(row[3]), e.Kind)
		e.Ref, e.Name = cmp.Or(row[4], e.Ref), cmp.Or(row[5], e.Name)
		e.Address, _ = sources.Decode(e.Asset, e.Listed)
		if rev.Records++; e.ListedAt.After(rev.Published) {
			rev.Published = e.ListedAt
		}
		if err := add(e); err != nil {
			return rev, err
		}
	}
}
