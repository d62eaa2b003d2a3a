package ofac

import (
	"io"

	"github.com/walletscreen/walletscreen/sources"
)

// ParseUnmarkedCSV is ParseCSV with Options.NoEndMark.
func ParseUnmarkedCSV(sdnFile, comments io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
	return sdn.parseCSV(sdnFile, comments, true, add)
}

// ParseConsolidatedCSV reads the CSV of the consolidated list as its source does.
func ParseConsolidatedCSV(prim, comments io.Reader, add func(sources.Entry) error) (sources.Revision, error) {
	return consolidated.parseCSV(prim, comments, true, add)
}
