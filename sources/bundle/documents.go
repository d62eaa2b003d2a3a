package bundle

import (
	_ "embed"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/info"
)

// The documents, which testdata has as CSV.

//go:embed fbi.stays
var fbiFile []byte

//go:embed doj.stays
var dojFile []byte

//go:embed graphsense.stays.gz
var graphSenseFile []byte

// FBI returns the announcements in which the FBI names wallet addresses of stolen
// cryptocurrency:
//
//   - 23 January 2023, theft from Harmony's Horizon bridge: 11 addresses
//   - 22 August 2023, funds stolen by TraderTraitor (Lazarus Group): 6
//   - 6 September 2023, theft from Stake.com: 33
//   - 26 February 2025, I-022625-PSA, theft from Bybit: 51
//
// They are final, and no sanctions list: the kind of the entries is StolenFunds of package score.
// The Ref of an entry is the number of its announcement, or its address; Info.URL makes an address
// of both. ListedAt is the day of the announcement.
func FBI() sources.Source { return &source{info: info.FBI, file: fbiFile} }

// DOJ returns the 155 addresses that the US Department of Justice named for seizure in its
// forfeiture complaint of 13 August 2020 against the campaigns of al-Qaeda. It is final, and
// no sanctions list: the kind of its entries is Seized of package score.
func DOJ() sources.Source { return &source{info: info.DOJ, file: dojFile} }

// GraphSense returns addresses that received ransoms, by two studies that end in 2017 and
// 2022, and addresses of thieves of hacked services until 2018: the tags with an abuse in
// three TagPacks of GraphSense. The Ref of an entry is its source, its Name the family or the
// hack. It is final: Ransomwhere of package badlist goes on.
func GraphSense() sources.Source { return &source{info: info.GraphSense, file: graphSenseFile} }
