package opensanctions

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"

	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/fetch"
)

// Options configure [New]. Dataset or URL is required.
type Options struct {
	// Dataset is its name at OpenSanctions, such as "us_ofac_sdn", "il_mod_crypto",
	// "us_fbi_lazarus_crypto" or "ransomwhere"; "" means the dataset at URL.
	Dataset string
	// Jurisdiction is the issuer of the list; "" means Community. Set it, for example
	// to US for us_ofac_sdn, if you rely on OpenSanctions for that authority's list: only
	// then wallets whose column "sanctions" is not empty are [score.Sanctioned]. Leave it for
	// datasets that collect the lists of many authorities. All others are
	// [score.CommunityReport]; but the dataset ransomwhere gives [score.Ransomware], and
	// us_fbi_lazarus_crypto [score.StolenFunds].
	Jurisdiction sources.Jurisdiction
	// URL is the address of the file; "" means OpenSanctions' newest targets.simple.csv
	// of the dataset. It must be https, unless AllowHTTP is set.
	URL string
	// Client makes the requests; nil means http.DefaultClient. Load limits the time
	// without progress, and its context limits the rest.
	Client *http.Client
	// AllowHTTP allows addresses that are not https, such as the address of a local mirror.
	AllowHTTP bool
}

// New returns a dataset of OpenSanctions, with an id such as OPENSANCTIONS_US_OFAC_SDN, or
// OPENSANCTIONS without a Dataset; see package sources. The data are under CC BY-NC 4.0: use
// in business needs a license from OpenSanctions.
func New(opts *Options) sources.Source {
	o := *cmp.Or(opts, &Options{})
	o.Jurisdiction = cmp.Or(o.Jurisdiction, sources.Community)
	id, name, from := "OPENSANCTIONS", "OpenSanctions", ""
	if o.Dataset != "" {
		id, name = id+"_"+strings.ToUpper(o.Dataset), name+" dataset "+o.Dataset
		from = "https://data.opensanctions.org/datasets/latest/" + url.PathEscape(o.Dataset) + "/targets.simple.csv"
	}
	src := fetch.New("opensanctions", sources.Info{
		ID:           id,
		Name:         name,
		Jurisdiction: o.Jurisdiction,
		Licence:      "CC BY-NC 4.0; use in business needs a licence of OpenSanctions",
		Attribution:  "OpenSanctions, www.opensanctions.org",
	}, &fetch.Options{URL: o.URL, Client: o.Client, AllowHTTP: o.AllowHTTP}, from, maxSize, o.Parse)
	src.Request.As = string(o.Jurisdiction) // it decides the kinds
	return src
}
