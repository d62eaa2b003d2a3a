// Embed screens one address in-process, against the lists that are bundled with the
// module.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources/bundle"
)

func main() {
	s, err := screening.New(bundle.All(), &screening.Options{Optional: bundle.Optional()})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := s.Refresh(context.Background()); err != nil {
		log.Fatal(err)
	}
	r, err := s.ScreenText("polygon", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96")
	if err != nil {
		log.Fatal(err) // an invalid address or a missing list: never "clean"
	}
	fmt.Println(r.Address, r.Score, r.Level)
	for _, l := range r.Labels {
		fmt.Println(l.Kind, l.Match, l.Source, l.Ref, l.Name)
	}
	switch {
	case r.AllClear():
		fmt.Println("clean")
	case len(r.Labels) == 0:
		fmt.Println("no match, but", r.Doubts, r.Caveats())
	}
}
