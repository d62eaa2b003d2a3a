package httpapi

import (
	"maps"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// clients limits the requests of each client address that are not admitted. The zero
// value is ready to use.
type clients struct {
	mu       sync.Mutex
	limiters map[string]*rate.Limiter
}

// maxClients is the maximum number of client addresses remembered. Beyond it, idle ones are
// forgotten first, then any.
const maxClients = 1 << 16

// allow reports whether a client may make one more request. If not, it returns the
// number of seconds until it may.
func (c *clients) allow(client string, limit rate.Limit, burst int, now time.Time) (wait int64, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.limiters[client]
	if l == nil {
		if len(c.limiters) >= maxClients {
			c.makeRoom(now)
		} else if c.limiters == nil {
			c.limiters = make(map[string]*rate.Limiter)
		}
		l = rate.NewLimiter(limit, burst)
		c.limiters[client] = l
	}
	if l.AllowN(now, 1) {
		return 0, true
	}
	return secondsUntil(l, now, 1), false
}

// makeRoom forgets the clients whose limiters are full, which are as good as new
// ones, and then others, until half of the room is free. The caller holds mu.
func (c *clients) makeRoom(now time.Time) {
	maps.DeleteFunc(c.limiters, func(_ string, l *rate.Limiter) bool { return l.TokensAt(now) >= float64(l.Burst()) })
	for client := range c.limiters {
		if len(c.limiters) <= maxClients/2 {
			return
		}
		delete(c.limiters, client)
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
