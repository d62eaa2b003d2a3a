package badlist

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/fetch"
	"github.com/walletscreen/walletscreen/sources/internal/info"
)

// darklist is the address of MyEtherWallet's darklist. It has not changed since
// November 2018.
const darklist = "https://raw.githubusercontent.com/MyEtherWallet/ethereum-lists/master/src/addresses/addresses-darklist.json"

// Options configure [New]. The zero Options are the defaults. [ScamSniffer],
// [ScamSnifferDomains], [PolkadotPhishing] and [Ransomwhere] return options for other lists.
type Options struct {
	// URL, Client and AllowHTTP are as package sources describes. Without a URL, the list is
	// MyEtherWallet's darklist.
	URL       string
	Client    *http.Client
	AllowHTTP bool
	// Info describes the list at URL; the zero Info means the Info of the darklist. Two lists in
	// one Screener need different ids.
	Info sources.Info

	// The fields below say what the content of a list does not. Their zero values fit
	// the lists that [Parse] describes.

	// Asset is the ticker of addresses without a chain. It is a hint; see [sources.Decode].
	Asset string
	// Kind is the kind of all entries. If it is "", the words of the comment decide, as Parse
	// describes.
	Kind score.Kind
	// Ref is the reference of all entries.
	Ref string
}

// New returns a list of bad addresses as it is published, by default MyEtherWallet's
// darklist, with the id COMMUNITY_BADLIST; see package sources. Load holds the file, but none
// of the entries.
func New(opts *Options) sources.Source {
	o := *cmp.Or(opts, &Options{})
	from := &fetch.Options{URL: o.URL, Client: o.Client, AllowHTTP: o.AllowHTTP}
	src := fetch.New("badlist", cmp.Or(o.Info, info.Badlist), from, darklist, maxSize, o.Parse)
	src.Long, src.Request.As = true, strings.Join([]string{o.Asset, string(o.Kind), o.Ref}, "\n")
	return src
}

// community describes a list of a community.
func community(id, name, licence, attribution string) sources.Info {
	return sources.Info{ID: id, Name: name, Jurisdiction: sources.Community, Licence: licence, Attribution: attribution}
}

// ScamSniffer returns options for Scam Sniffer's list of addresses, with the id
// SCAMSNIFFER: some 2,500, without dates or reasons, the last of February 2024. The list is
// under the GPL-3.0 and no part of this module; a program that loads it accepts these
// terms. It has had false positives.
func ScamSniffer() *Options {
	return &Options{
		URL:  scamSniffer + "address.json",
		Info: community("SCAMSNIFFER", "Scam Sniffer address blacklist", "GPL-3.0", "Scam Sniffer, github.com/scamsniffer/scam-database"),
		Kind: score.Scam,
		Ref:  "address.json",
	}
}

// ScamSnifferDomains returns options for Scam Sniffer's list of phishing sites with their
// addresses, with the id SCAMSNIFFER_DOMAINS: some 600, the last of December 2023. Name is
// the domain. For the terms see [ScamSniffer].
func ScamSnifferDomains() *Options {
	o := ScamSniffer()
	o.URL = scamSniffer + "combined.json"
	o.Info.ID, o.Info.Name = "SCAMSNIFFER_DOMAINS", "Scam Sniffer addresses of phishing sites"
	o.Kind, o.Ref = score.Phishing, "combined.json"
	return o
}

const scamSniffer = "https://raw.githubusercontent.com/scamsniffer/scam-database/main/blacklist/"

// PolkadotPhishing returns options for the list of polkadot-js/phishing, with the id
// POLKADOT_PHISHING: some 250 accounts of Polkadot and Kusama that phishing sites and
// attackers use, the last of March 2025. Name is the site.
func PolkadotPhishing() *Options {
	return &Options{
		URL:   "https://raw.githubusercontent.com/polkadot-js/phishing/master/address.json",
		Info:  community("POLKADOT_PHISHING", "polkadot-js phishing addresses", "Apache-2.0", "polkadot-js/phishing and its contributors"),
		Asset: "DOT",
		Kind:  score.Phishing,
		Ref:   "address.json",
	}
}

// Ransomwhere returns options for the export of ransomwhe.re, a crowdsourced register of
// addresses that received ransoms, with the id RANSOMWHERE. Name is the family of the
// ransomware, and ListedAt the date of the report. The terms of use of the data are not
// stated: ask before you use them.
func Ransomwhere() *Options {
	return &Options{
		URL:  "https://api.ransomwhe.re/export",
		Info: community("RANSOMWHERE", "Ransomwhere", "not stated for the data", "Ransomwhere, ransomwhe.re"),
		Kind: score.Ransomware,
	}
}
