package opensanctions

import (
	"context"
	"encoding/json"
	"net/url"
	"path"
	"strings"

	"github.com/walletscreen/walletscreen/sources/internal/fetch"
)

// maxIndex limits the index of a dataset, in bytes. The largest has some 200 kB.
const maxIndex = 8 << 20

// checksum returns the SHA-1 of the file according to the index, in lower-case hex, or "".
// It reads this part of the index:
//
//	{"resources": [{"name": "targets.simple.csv", "checksum": "b7e0fecaa2473f0e8f0181dd87bafd2c6bc8d997"}]}
func (s *source) checksum(ctx context.Context) string {
	file, err := url.Parse(s.URL)
	if s.Index == "" || err != nil {
		return ""
	}
	req := &fetch.Request{Options: fetch.Options{URL: s.Index, Client: s.Client, AllowHTTP: s.AllowHTTP}, MaxBytes: maxIndex, Attempts: 1}
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
