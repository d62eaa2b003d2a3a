package opensanctions

import (
	"cmp"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"path"
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
	// URL, Client and AllowHTTP are as package sources describes. Without a URL, the list is
	// OpenSanctions' newest targets.simple.csv of the dataset.
	URL       string
	Client    *http.Client
	AllowHTTP bool
}

// New returns a dataset of OpenSanctions, with an id such as OPENSANCTIONS_US_OFAC_SDN, or
// OPENSANCTIONS without a Dataset; see package sources. The data are under CC BY-NC 4.0: use
// in business needs a license from OpenSanctions.
//
// The lines of a file do not show that some are missing. So the file must have the checksum
// in the index.json beside it, as it was before the download or is after it. An index that
// does not answer, or has no checksum of the file, is not an error.
func New(opts *Options) sources.Source {
	s := &source{*cmp.Or(opts, &Options{})}
	if s.Jurisdiction == "" {
		s.Jurisdiction = sources.Community
	}
	if s.URL == "" && s.Dataset != "" {
		s.URL = "https://data.opensanctions.org/datasets/latest/" + url.PathEscape(s.Dataset) + "/targets.simple.csv"
	}
	return s
}

type source struct{ Options }

func (s *source) Info() sources.Info {
	id, name := "OPENSANCTIONS", "OpenSanctions"
	if s.Dataset != "" {
		id, name = id+"_"+strings.ToUpper(s.Dataset), name+" dataset "+s.Dataset
	}
	return sources.Info{
		ID:           id,
		Name:         name,
		Jurisdiction: s.Jurisdiction,
		Licence:      "CC BY-NC 4.0; use in business needs a licence of OpenSanctions",
		Attribution:  "OpenSanctions, www.opensanctions.org",
	}
}

func (s *source) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	if s.URL == "" {
		return sources.Revision{}, errors.New("opensanctions: no dataset and no URL")
	}
	want := s.checksum(ctx)
	opts := &fetch.Options{URL: s.URL, Client: s.Client, AllowHTTP: s.AllowHTTP}
	list := fetch.New("opensanctions", s.Info(), opts, "", maxSize, func(r io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
		sum := sha1.New()
		rev, err := s.Parse(io.TeeReader(r, sum), add)
		if err != nil || want == "" {
			return rev, err
		}
		got := hex.EncodeToString(sum.Sum(nil))
		if got != want && got != s.checksum(ctx) {
			return sources.Revision{}, errors.New("the file does not have the checksum in the index of the dataset")
		}
		rev.OpenEnded = false // the checksum proves the end
		return rev, nil
	})
	list.Request.As = string(s.Jurisdiction) // it decides the kinds
	return list.Load(ctx, prev, add)
}

// maxIndex limits the index of a dataset, in bytes. The largest has some 200 kB.
const maxIndex = 8 << 20

// checksum returns the SHA-1 of the file according to the index, in lower-case hex, or "".
// It reads this part of the index:
//
//	{"resources": [{"name": "targets.simple.csv", "checksum": "b7e0fecaa2473f0e8f0181dd87bafd2c6bc8d997"}]}
func (s *source) checksum(ctx context.Context) string {
	file, err := url.Parse(s.URL)
	if err != nil {
		return ""
	}
	req := &fetch.Request{Options: fetch.Options{Client: s.Client, AllowHTTP: s.AllowHTTP}, MaxBytes: maxIndex, Attempts: 1}
	req.URL = file.JoinPath("../index.json").String()
	var index struct {
		Resources []struct{ Name, Checksum string }
	}
	text, err := fetch.Bytes(ctx, req)
	if err != nil || json.Unmarshal(text, &index) != nil {
		return ""
	}
	for _, r := range index.Resources {
		sum := strings.ToLower(r.Checksum)
		if r.Name == path.Base(file.Path) && len(sum) == 40 && strings.Trim(sum, "0123456789abcdef") == "" {
			return sum
		}
	}
	return ""
}
