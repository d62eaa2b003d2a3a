package main

import (
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// greet says what somebody who has just started the server wants to know.
func greet(w io.Writer, addr net.Addr, ops net.Listener, lists []screening.SourceStatus, keys *keyring, c config) {
	url := "http://" + reachable(addr)
	if c.tlsCert != "" {
		url = "https://" + reachable(addr)
	}
	fmt.Fprintf(w, "walletscreen on %s, described at %[1]s/docs\n\nLists:\n", url)
	for _, s := range lists {
		if s.Completeness == sources.Partial {
			fmt.Fprintf(w, "  %-18s not loaded yet, but for an excerpt of %d addresses, of %s: %s\n", s.Info.ID, s.Addresses,
				s.Published.Format(time.DateOnly), s.Info.Name)
			continue
		}
		if !s.Loaded() {
			fmt.Fprintf(w, "  %-18s not loaded yet: %s\n", s.Info.ID, s.Info.Name)
			continue
		}
		fmt.Fprintf(w, "  %-18s %5d addresses, of %s (%s old): %s\n", s.Info.ID, s.Addresses,
			s.LastUpdated.Format(time.DateOnly), age(time.Since(s.LastUpdated)), s.Info.Name)
	}
	if c.data != "" {
		fmt.Fprintf(w, "  They are kept in %s, and survive a restart.\n", filepath.Join(c.data, "lists"))
	} else {
		fmt.Fprint(w, "  They are kept in memory. With -data DIR they survive a restart.\n")
	}
	if c.offline {
		fmt.Fprint(w, "  They are not refreshed, because of -offline.\n")
	} else {
		fmt.Fprintf(w, "  They are refreshed in the background, now and every %v.\n", refreshEvery)
	}
	if ops != nil {
		fmt.Fprintf(w, "\nFor operators, without a key: http://%s with /livez, /readyz and /metrics\n", reachable(ops.Addr()))
	}
	if c.audit != "" {
		fmt.Fprintf(w, "\nEach screening is put on record in %s\n", c.audit)
	}
	fmt.Fprintf(w, "\n%s\n\nTry it:\n\n", keys.note)
	fmt.Fprintf(w, "  curl -s %s/api/v1/screen -H %s -H 'Content-Type: application/json' \\\n"+
		"    -d '{\"address\":\"0x098B716B8Aaf21512996dC57EB0615e2383E2f96\",\"chain\":\"ethereum\"}'\n\n",
		url, shellQuote("Authorization: Bearer "+keys.show))
}

// reachable returns the address to write into a URL: localhost for a server that
// listens everywhere.
func reachable(addr net.Addr) string {
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return net.JoinHostPort("localhost", strconv.Itoa(tcp.Port))
	}
	return addr.String()
}

// age returns d in days, or in hours where it is less than two days.
func age(d time.Duration) string {
	if d < 48*time.Hour {
		return strconv.Itoa(int(d.Hours())) + " h"
	}
	return strconv.Itoa(int(d.Hours()/24)) + " days"
}

// shellQuote returns s as one word of a shell command.
func shellQuote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
