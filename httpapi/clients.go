package httpapi

import (
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"
)

// clients limits the requests of each client address that are not admitted. The zero
// value is ready to use.
type clients struct {
	limiters sync.Map // of *rate.Limiter by client address
	n        atomic.Int64
	mu       sync.Mutex // serializes calls that make room
}

// maxClients is the maximum number of client addresses remembered. Beyond it, idle ones are
// forgotten first, then any.
const maxClients = 1 << 16

// allow reports whether a client may make one more request. If not, it returns the
// number of seconds until it may.
func (c *clients) allow(client string, limit rate.Limit, burst int, now time.Time) (wait int64, ok bool) {
	v, found := c.limiters.Load(client)
	if !found {
		var loaded bool
		if v, loaded = c.limiters.LoadOrStore(client, rate.NewLimiter(limit, burst)); !loaded && c.n.Add(1) > maxClients {
			c.makeRoom(now)
		}
	}
	l := v.(*rate.Limiter)
	if l.AllowN(now, 1) {
		return 0, true
	}
	return secondsUntil(l, now, 1), false
}

// makeRoom forgets the clients whose limiters are full, which are as good as new
// ones, and then others, until half of the room is free.
func (c *clients) makeRoom(now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, every := range []bool{false, true} {
		c.limiters.Range(func(client, v any) bool {
			if l := v.(*rate.Limiter); every || l.TokensAt(now) >= float64(l.Burst()) {
				if _, loaded := c.limiters.LoadAndDelete(client); loaded {
					c.n.Add(-1)
				}
			}
			return !every || c.n.Load() > maxClients/2
		})
		if c.n.Load() <= maxClients/2 {
			return
		}
	}
}

// clientAddress returns the address of the peer: an IPv4 address, or the first 64
// bits of an IPv6 address, which belong to one host or household.
func clientAddress(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return host
	}
	if ip = ip.Unmap(); ip.Is6() {
		if p, err := ip.WithZone("").Prefix(64); err == nil {
			return p.String()
		}
	}
	return ip.String()
}
