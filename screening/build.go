package screening

import (
	"fmt"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening/internal/list"
	"github.com/walletscreen/walletscreen/sources"
)

// build builds the list of next.
func (s *Screener) build(b *list.Builder, next *held) error {
	start := time.Now()
	err := s.building(func() (err error) {
		next.list, err = b.Build(next.revision.OpenEnded)
		return err
	})
	next.ready = time.Now()
	next.took = next.ready.Sub(start)
	return err
}

// building calls build when enough processors are idle: fewer goroutines build than there
// are processors, so that questions need not wait.
func (s *Screener) building(build func() error) error {
	s.builders <- struct{}{}
	defer func() { <-s.builders }()
	return build()
}

// check returns an error if e may not be in the list of source i.
func (s *Screener) check(i int, e sources.Entry) error {
	if !e.Address.IsValid() && strings.TrimSpace(e.Listed) == "" {
		return fmt.Errorf("entry %.64q lists nothing", e.Ref)
	}
	if _, ok := s.table.Points(e.Kind, score.Exact); !ok {
		return fmt.Errorf("%s: scoring %s does not know the kind %.64q", nameOf(e), s.table.Version(), e.Kind)
	}
	if !s.infos[i].MayEmit(e.Kind) {
		return fmt.Errorf("%s: a list of jurisdiction %s may not say %s", nameOf(e), s.infos[i].Jurisdiction, e.Kind)
	}
	return nil
}

// nameOf names an entry in an error: by its reference, and by what it lists.
func nameOf(e sources.Entry) string {
	if e.Ref == "" {
		return fmt.Sprintf("entry of %.128q", e.Text())
	}
	return fmt.Sprintf("entry %.64q of %.128q", e.Ref, e.Text())
}
