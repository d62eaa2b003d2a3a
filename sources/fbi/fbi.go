// Package fbi has the announcements in which the FBI names wallet addresses of stolen
// cryptocurrency:
//
//   - 23 January 2023, theft from Harmony's Horizon bridge: 11 addresses
//   - 22 August 2023, funds stolen by TraderTraitor (Lazarus Group): 6
//   - 6 September 2023, theft from Stake.com: 33
//   - 26 February 2025, I-022625-PSA, theft from Bybit: 51
//
// They are final, so the package has them as data, and fetches nothing. Begin with [New].
//
// This is not a sanctions list. Its entries are of the kind STOLEN_FUNDS.
package fbi

import (
	_ "embed"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/document"
	"github.com/walletscreen/walletscreen/sources/internal/info"
)

//go:embed announcements.csv
var announcements []byte

// New returns the announcements as a source with the id FBI_IC3. The Ref of an entry is the
// number of its announcement, or its address; Info.URL makes an address of both. ListedAt is
// the day of the announcement.
func New() sources.Source {
	return &document.Source{Of: info.FBI, File: announcements,
		Provenance: "public copies of the announcements of 2023-01-23, 2023-08-22, 2023-09-06 and 2025-02-26"}
}
