package opensanctions

import (
	"cmp"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/sources"
	"github.com/walletscreen/walletscreen/sources/internal/fetch"
)

// Options say which dataset [New] is to load, and what it means. Dataset is
// required.
type Options struct {
	// Dataset is its name at OpenSanctions, such as "us_ofac_sdn", "il_mod_crypto",
	// "us_fbi_lazarus_crypto" or "ransomwhere".
	Dataset string
	// Jurisdiction is whose list it is; "" means Community. Set it to US for
	// us_ofac_sdn if you rely on OpenSanctions for what is sanctioned there: then,
	// and only then, wallets with the topic "sanction" are [score.Sanctioned].
	// Datasets that collect the lists of many, and those of countries without a
	// jurisdiction of their own in package sources, should stay as they are.
	Jurisdiction sources.Jurisdiction
	// Kinds says of which kinds the wallets are. Where it says nothing, Topics are
	// [CommunityTopics], or [OfficialTopics] if Jurisdiction is not Community, and
	// Other is [score.Ransomware] for the dataset ransomwhere,
	// [score.StolenFunds] for us_fbi_lazarus_crypto, and [score.CommunityReport]
	// for all others.
	Kinds Kinds
	// URL is where the file is; "" means OpenSanctions' newest entities.ftm.json
	// of the dataset. It must be https, unless AllowHTTP is set.
	URL string
	// Index is where the index of the dataset is, which has a checksum of the file;
	// "" means OpenSanctions' newest index.json of the dataset if URL is "", and none
	// for another URL.
	Index string
	// Client makes the requests; nil means http.DefaultClient. The time without
	// progress is bounded in any case, the rest by the context of Load.
	Client *http.Client
	// UserAgent is what requests say they come from, if not "".
	UserAgent string
	// AllowHTTP allows addresses that are not https: for a mirror of one's own.
	AllowHTTP bool
	// Progress, if not nil, is called as the list is downloaded: read is how many
	// bytes have come, as they are sent, and total how many were announced, or -1.
	// A download that is repeated begins at zero; so that a program can draw a bar.
	Progress func(read, total int64)
}

// New returns a dataset of OpenSanctions, under an id such as
// OPENSANCTIONS_US_OFAC_SDN. The data are under CC BY-NC 4.0: who loads them for
// a business needs a licence of OpenSanctions. What is wrong in opts is the error of
// Load: no Dataset, as with nil, or a URL that is not https.
//
// Load fetches the dataset with a conditional request and reads it as [Parse]
// does: it adds entries only after the whole dataset was read. One that the server
// calls unchanged, or whose digest is that of the revision held, is
// [sources.ErrUnchanged]. Requests that fail in a way that may pass, and
// downloads that break off, are repeated a few times.
//
// The lines of a file do not show that some are missing. So a file must have the
// checksum that the index of the dataset has for it, before the download or after.
// An index that does not answer, or has none, is no error.
func New(opts *Options) sources.Source {
	s := &source{}
	if opts != nil {
		s.Options = *opts
		s.Kinds.Topics = maps.Clone(opts.Kinds.Topics)
	}
	if s.Jurisdiction == "" {
		s.Jurisdiction = sources.Community
	}
	if s.Kinds.Topics == nil && s.Jurisdiction != sources.Community {
		s.Kinds.Topics = OfficialTopics()
	}
	if s.Kinds.Other == "" {
		s.Kinds.Other = datasetKinds[s.Dataset]
	}
	if s.URL == "" {
		latest := "https://data.opensanctions.org/datasets/latest/" + url.PathEscape(s.Dataset)
		s.URL = latest + "/entities.ftm.json"
		s.Index = cmp.Or(s.Index, latest+"/index.json")
	}
	return s
}

// datasetKinds are the kinds of datasets of one subject.
var datasetKinds = map[string]score.Kind{
	"ransomwhere":           score.Ransomware,
	"us_fbi_lazarus_crypto": score.StolenFunds,
}

type source struct{ Options }

func (s *source) Info() sources.Info {
	return sources.Info{
		ID:           "OPENSANCTIONS_" + strings.ToUpper(s.Dataset),
		Name:         "OpenSanctions dataset " + s.Dataset,
		Jurisdiction: s.Jurisdiction,
		Licence:      "CC BY-NC 4.0; use in business needs a licence of OpenSanctions",
		Attribution:  "OpenSanctions, www.opensanctions.org",
	}
}

func (s *source) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	if s.Dataset == "" {
		return sources.Revision{}, errors.New("opensanctions: no dataset")
	}
	req := &fetch.Request{URL: s.URL, Client: s.Client, UserAgent: s.UserAgent, MaxBytes: maxSize, AllowHTTP: s.AllowHTTP, Progress: s.Progress}
	want := s.checksum(ctx)
	rev, err := fetch.List(ctx, req, prev, add, func(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
		sum := sha1.New()
		rev, err := s.Kinds.Parse(io.TeeReader(r, sum), add)
		if err != nil || want == "" {
			return rev, err
		}
		got := hex.EncodeToString(sum.Sum(nil))
		if got != want && got != s.checksum(ctx) {
			return sources.Revision{}, errors.New("not the file that the index of the dataset has the checksum of")
		}
		rev.OpenEnded = false // the checksum proves the end
		return rev, nil
	})
	if err != nil && err != sources.ErrUnchanged {
		return sources.Revision{}, fmt.Errorf("opensanctions: %w", err)
	}
	return rev, err
}
