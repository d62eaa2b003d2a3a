// Package info describes the bundled lists. It is used by package bundle and by the package
// of each list, which fetches it: bundle must not link a client.
package info

import (
	"time"

	"github.com/walletscreen/walletscreen/sources"
)

const day = 24 * time.Hour

// The lists, in the order of bundle.All. The Ref of an entry of FBI, DOJ and GraphSense is the
// address of its document.
var (
	OFAC = sources.Info{
		ID:           "OFAC_SDN",
		Name:         "OFAC Specially Designated Nationals and Blocked Persons List",
		Jurisdiction: sources.US,
		Licence:      "US government work, public domain (17 U.S.C. 105)",
		RefURL:       "https://sanctionssearch.ofac.treas.gov/Details.aspx?id={ref}",
		Rhythm:       30 * day,
	}
	EU = sources.Info{
		ID:           "EU_CONSOLIDATED",
		Name:         "EU consolidated list of persons, groups and entities subject to financial sanctions",
		Jurisdiction: sources.EU,
		Licence:      "Commission Decision 2011/833/EU (reuse with acknowledgement of the source)",
		Attribution:  "© European Union. Only the legal acts printed in the Official Journal of the European Union are authentic.",
		Rhythm:       60 * day,
	}
	UK = sources.Info{
		ID:           "UK_CONSOLIDATED",
		Name:         "UK Sanctions List",
		Jurisdiction: sources.UK,
		Licence:      "Open Government Licence v3.0",
		Attribution:  "Contains public sector information licensed under the Open Government Licence v3.0.",
		Rhythm:       45 * day,
	}
	FBI = sources.Info{
		ID:           "FBI_IC3",
		Name:         "FBI announcements of stolen cryptocurrency, 2023 to 2025",
		Jurisdiction: sources.US,
		Licence:      "US government work, public domain (17 U.S.C. 105)",
		RefURL:       "https://www.ic3.gov/PSA/2025/PSA250226",
		Final:        true,
	}
	DOJ = sources.Info{
		ID:           "DOJ_FORFEITURE",
		Name:         "US Department of Justice, forfeiture complaint of August 2020 (al-Qaeda campaigns)",
		Jurisdiction: sources.US,
		Licence:      "US government work, public domain (17 U.S.C. 105)",
		Final:        true,
	}
	GraphSense = sources.Info{
		ID:           "GRAPHSENSE",
		Name:         "GraphSense TagPacks of ransomware and hacks",
		Jurisdiction: sources.Community,
		Licence:      "MIT",
		Attribution:  "Copyright (c) 2022 Iknaio Cryptoasset Analytics GmbH, 2018-2022 AIT Austrian Institute of Technology",
		Final:        true,
	}
	Badlist = sources.Info{
		ID:           "COMMUNITY_BADLIST",
		Name:         "MyEtherWallet darklist",
		Jurisdiction: sources.Community,
		Licence:      "MIT",
		Attribution:  "Copyright (c) 2017 MyEtherWallet",
		Final:        true,
	}
)
