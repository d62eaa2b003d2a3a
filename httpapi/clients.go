package httpapi

import (
	"maps"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// limits limits how often something may happen, by a name. The zero value is ready to use.
type limits struct {
	mu     sync.Mutex
	byName map[string]*limit
}

type limit struct {
	*rate.Limiter
	refused int // since something was allowed
}

// maxNames is the maximum number of names remembered. Beyond it, idle ones are forgotten first,
// then any.
const maxNames = 1 << 16

// allow returns 0, and how often the name was refused since it was allowed last; or the number of
// seconds until it is allowed.
func (l *limits) allow(name string, r rate.Limit, burst int, now time.Time) (refused int, wait int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	one := l.byName[name]
	if one == nil {
		if len(l.byName) >= maxNames {
			l.makeRoom(now)
		} else if l.byName == nil {
			l.byName = make(map[string]*limit)
		}
		one = &limit{Limiter: rate.NewLimiter(r, burst)}
		l.byName[name] = one
	}
	if !one.AllowN(now, 1) {
		one.refused++
		return 0, max(1, secondsUntil(one.Limiter, now, 1))
	}
	refused, one.refused = one.refused, 0
	return refused, 0
}

// makeRoom forgets the names whose limits are unused, which are as good as new, and then others,
// until half of the room is free. The caller holds mu.
func (l *limits) makeRoom(now time.Time) {
	maps.DeleteFunc(l.byName, func(_ string, one *limit) bool { return one.TokensAt(now) >= float64(one.Burst()) })
	for name := range l.byName {
		if len(l.byName) <= maxNames/2 {
			return
		}
		delete(l.byName, name)
	}
}

// clientBurst is the number of seconds whose requests a client may make at once.
const clientBurst = 10

// clientAddress returns the address of the peer: an IPv4 address, or the first 64
// bits of an IPv6 address, which belong to one host or household.
func clientAddress(r *http.Request) string {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	ip := peer.Addr()
	if err != nil {
		if ip, err = netip.ParseAddr(r.RemoteAddr); err != nil { // as for a Unix socket
			return r.RemoteAddr
		}
	}
	ip = ip.Unmap().WithZone("")
	if p, err := ip.Prefix(64); err == nil && ip.Is6() {
		return p.String()
	}
	return ip.String()
}
