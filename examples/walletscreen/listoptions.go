package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/walletscreen/walletscreen/examples/walletscreen/internal/outbox"
	"github.com/walletscreen/walletscreen/sources"
)

// listOptions say which lists to hold, and how good they must be.
type listOptions struct {
	data    string
	db      string
	choose  []string
	own     []string // ID=FILE
	mirrors []string // ID=URL

	mirrorHTTP bool // from other machines over plain HTTP
	require    []string

	rpc           []string // CHAIN=URL
	opensanctions string   // a URL or a file

	keep         time.Duration // of lists that are no longer in use; 0 means ten years
	maxAge       time.Duration
	maxPublished map[string]time.Duration // by id
}

// flags returns the flags that say which lists to hold, and how good they must be.
func (o *listOptions) flags() []cli.Flag {
	return []cli.Flag{
		textFlag("data", "", "`directory` in which serve keeps lists, API keys and quotas, and lists refresh keeps lists, unless -db does (default: none, and the bundled lists)", &o.data),
		o.dbFlag(),
		textsFlag("lists", "ids of the published `lists` to load, of "+strings.Join(o.ids(), ", ")+" (default: the first seven)", &o.choose),
		pairsFlag("list", "list of your own, as `ID=FILE`: a table of addresses to block, or to allow where its column action says so; or with another label, as ID=FILE,kind=SCAM, or ID=https://…,kind=SCAM to fetch it: CSV, JSON, text, or TagPack (.yaml); may be given several times, and the file may be replaced at any time", &o.own),
		textsFlag("require", "`lists` without which nothing is decided, such as OFAC_SDN,UK_CONSOLIDATED; all means "+strings.Join(official, ", ")+" (default: OFAC_SDN and EU_CONSOLIDATED, which are bundled, or all of -lists if they are not among them); your own lists are always required", &o.require),
		limitFlag("max-age", "refuse to decide if a required list was not checked within this `time`, such as 48h or 7d (default: any age)", &o.maxAge),
		limitsFlag("max-published", "refuse to decide if a required list was published longer ago, as `ID=TIME`, such as OFAC_SDN=45d; of another list, a caveat says so, and the others decide; may be given several times", &o.maxPublished),
	}
}

// fetchFlags returns the flags that say where the lists come from.
func (o *listOptions) fetchFlags() []cli.Flag {
	return []cli.Flag{
		pairsFlag("mirror", "fetch a list from elsewhere, as `ID=URL`; may be given several times", &o.mirrors),
		boolFlag("mirror-over-http", "let -mirror, -opensanctions and -rpc fetch over plain HTTP from other machines: anyone on the way can then take addresses out of a list", &o.mirrorHTTP),
		textsFlag("rpc", "node for the lists USDT_FROZEN and USDC_FROZEN, as `CHAIN=URL`, such as ethereum=https://node.example; of tron it is a server like TronGrid; may be given several times", &o.rpc),
		textFlag("opensanctions", "", "`URL or file` of the list OPENSANCTIONS: targets.simple.csv of a dataset; business use needs a license from OpenSanctions", &o.opensanctions),
		o.keepFlag(),
	}
}

// keepFlag returns the flag -keep.
func (o *listOptions) keepFlag() cli.Flag {
	return limitFlag("keep", "keep each list in -data or -db for this `time` after its last use, for -at and for receipts (default: 10y)", &o.keep)
}

// dbFlag returns the flag -db.
func (o *listOptions) dbFlag() cli.Flag {
	return textFlag("db", "", "`database` of serve: postgres://USER:PASSWORD@HOST/NAME keeps lists, API keys and quotas, and replicas share it; sqlite:FILE keeps API keys and quotas only (default: "+dbFile+" in -data)", &o.db)
}

// isHTTP reports whether a URL is one of plain HTTP.
func isHTTP(u string) bool { return strings.HasPrefix(strings.ToLower(u), "http:") }

// A stored source never fetches its list: its copy in the store or the bundle answers, at its age.
type stored struct {
	info sources.Info
	why  error
}

func (s stored) Info() sources.Info { return s.info }

func (s stored) Load(context.Context, sources.Revision, func(sources.Entry) error) (sources.Revision, error) {
	return sources.Revision{}, s.why
}

var (
	errOffline = errors.New("not fetched, because this is offline")
	errByHand  = errors.New("the publisher's page answers browsers only: save it and run walletscreen lists import, or name a -mirror")
)

// checkURL returns an error about a flag if its value is no URL of a list, or one that needs
// -mirror-over-http. It does not quote the URL, which may hold a key.
func (o *listOptions) checkURL(flag, value string) error {
	u, err := url.Parse(value)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http":
		return fmt.Errorf("%s: want a URL that begins with https:// or http://", flag)
	case u.Scheme == "http" && !o.mirrorHTTP && !outbox.IsLoopback(u.Hostname()):
		return fmt.Errorf("%s: over plain HTTP, anyone on the way can take addresses out of the list; use https://, or accept that with -mirror-over-http", flag)
	}
	return nil
}
