package badlist

import (
	"io"

	"github.com/walletscreen/walletscreen/sources"
)

const MaxSize = maxSize

// ParseBounded is Parse with another size limit.
func ParseBounded(r io.Reader, size int64, add func(sources.Entry) error) (sources.Revision, error) {
	return (&Options{}).parse(r, size, add)
}
