package main

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/walletscreen/walletscreen/score"
)

// shownKinds returns the kinds of -compat-kinds.
func (c *serveOptions) shownKinds(logger *slog.Logger) (kinds []score.Kind, err error) {
	if !c.compat && len(c.compatKinds) > 0 {
		return nil, errors.New("-compat-kinds needs -compat")
	}
	if c.compat && c.lists.maxAge == 0 {
		logger.Warn("-compat without -max-age: its clients cannot see how old the lists are")
	}
	all := score.Latest().Kinds()
	for _, name := range c.compatKinds {
		switch kind := score.Kind(strings.ToUpper(name)); {
		case kind == "ALL":
			return all, nil
		case !slices.Contains(all, kind):
			return nil, fmt.Errorf("-compat-kinds %.40q: want all, or some of %q", name, all)
		default:
			kinds = append(kinds, kind)
		}
	}
	return kinds, nil
}
