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
	// URL is the address of the list; "" means MyEtherWallet's darklist. It must be https, unless
	// AllowHTTP is set.
	URL string
	// Info describes the list at URL; the zero Info means the Info of the darklist. Two lists in
	// one Screener need different ids.
	Info sources.Info
	// Client makes the requests; nil means http.DefaultClient. Load limits the time
	// without progress, and its context limits the rest.
	Client *http.Client
	// AllowHTTP allows addresses that are not https, such as the address of a local mirror.
	AllowHTTP bool

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
	src.Long, src.Request.As = true, strings.Trim(strings.Join([]string{o.Asset, string(o.Kind), o.Ref}, ","), ",")
	return src
}
