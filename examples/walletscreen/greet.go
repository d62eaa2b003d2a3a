package main

import (
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strconv"
	"time"

	"github.com/walletscreen/walletscreen/screening"
)

// greet prints URLs, lists, keys and a command to try. A first start has ten lines.
func greet(w io.Writer, addr net.Addr, ops net.Listener, lists []screening.SourceStatus, keys *keyring, c *serveOptions) {
	url := "http://" + reachable(addr)
	if c.tlsCert != "" {
		url = "https://" + reachable(addr)
	}
	fmt.Fprintf(w, "walletscreen on %s/%s, documented at %[1]s/docs\n", url, keys.fragment)
	printLists(w, lists, time.Now())
	kept := "in memory (-data DIR keeps them)"
	if isShared(c.lists.db) {
		kept = "in PostgreSQL, the same for all replicas"
	} else if c.lists.data != "" {
		kept = "in " + filepath.Join(c.lists.data, storeDir)
	}
	refreshed := fmt.Sprintf("refreshed every %.0f minutes", refreshEvery.Minutes())
	if c.offline && isShared(c.lists.db) {
		refreshed = "fetched by other replicas (-offline)"
	} else if c.offline {
		refreshed = "not refreshed (-offline)"
	}
	fmt.Fprintf(w, "Lists are kept %s, and %s.\n", kept, refreshed)
	if ops != nil {
		fmt.Fprintf(w, "For operators, without a key: http://%s with /livez, /readyz and /metrics\n", reachable(ops.Addr()))
	}
	if c.audit != "" {
		fmt.Fprintf(w, "Each screening is recorded in %s\n", c.audit)
	}
	fmt.Fprintln(w, keys.note)
	fmt.Fprintf(w, "curl -s %s/api/v1/screen -H %s -H 'Content-Type: application/json' -d '{\"address\":\"0x098B716B8Aaf21512996dC57EB0615e2383E2f96\",\"chain\":\"ethereum\"}'\n",
		url, keys.header)
}

// reachable returns the address to write into a URL: localhost for a server that listens everywhere.
func reachable(addr net.Addr) string {
	if tcp, ok := addr.(*net.TCPAddr); ok && tcp.IP.IsUnspecified() {
		return net.JoinHostPort("localhost", strconv.Itoa(tcp.Port))
	}
	return addr.String()
}
