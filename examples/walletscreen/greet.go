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
)

// greet prints a summary for the person who started the server: URLs, lists and
// keys.
func greet(w io.Writer, addr net.Addr, ops net.Listener, lists []screening.SourceStatus, keys *keyring, c *serveOptions) {
	url := "http://" + reachable(addr)
	if c.tlsCert != "" {
		url = "https://" + reachable(addr)
	}
	fmt.Fprintf(w, "walletscreen on %s, documented at %[1]s/docs\nA page for people: %[1]s/%[2]s\n\n", url, keys.fragment)
	printLists(w, lists, time.Now())
	printProvenance(w, lists)
	if isShared(c.lists.db) {
		fmt.Fprint(w, "\nLists are kept in PostgreSQL, and are the same in all replicas.\n")
	} else if c.lists.data != "" {
		fmt.Fprintf(w, "\nLists are kept in %s.\n", filepath.Join(c.lists.data, "lists"))
	} else {
		fmt.Fprint(w, "\nLists are kept in memory; -data DIR keeps them over a restart.\n")
	}
	if c.offline && isShared(c.lists.db) {
		fmt.Fprint(w, "They are those that other replicas fetch, because of -offline.\n")
	} else if c.offline {
		fmt.Fprint(w, "They are not refreshed, because of -offline.\n")
	} else {
		fmt.Fprintf(w, "They are refreshed in the background, now and every %v.\n", refreshEvery)
	}
	if ops != nil {
		fmt.Fprintf(w, "\nFor operators, without a key: http://%s with /livez, /readyz and /metrics\n", reachable(ops.Addr()))
	}
	if c.audit != "" {
		fmt.Fprintf(w, "\nEach screening is recorded in %s\n", c.audit)
	}
	fmt.Fprintf(w, "\n%s\n\nTry it:\n\n", keys.note)
	fmt.Fprintf(w, "  curl -s %s/api/v1/screen -H %s -H 'Content-Type: application/json' \\\n"+
		"    -d '{\"address\":\"0x098B716B8Aaf21512996dC57EB0615e2383E2f96\",\"chain\":\"ethereum\"}'\n\n",
		url, keys.header)
}

// reachable returns the address to write into a URL: localhost for a server that
// listens everywhere.
func reachable(addr net.Addr) string {
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return net.JoinHostPort("localhost", strconv.Itoa(tcp.Port))
	}
	return addr.String()
}

// shellQuote returns s as one word of a shell command.
func shellQuote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
