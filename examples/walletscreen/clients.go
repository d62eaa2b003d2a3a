package main

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strconv"
	"strings"

	"github.com/walletscreen/walletscreen/httpapi"
)

// clientBurst is the number of seconds whose requests a client may make at once.
const clientBurst = 10

// limitClients sets the limit of -client-rate and -client-field.
func (c *serveOptions) limitClients(opts *httpapi.Options) error {
	if c.clientRate == "" || c.clientRate == "none" {
		if c.clientField != "" {
			return errors.New("-client-field needs -client-rate")
		}
		return nil
	}
	rate, err := strconv.ParseFloat(c.clientRate, 64)
	if err != nil || !(rate >= 0.1 && rate <= 1e6) {
		return fmt.Errorf("-client-rate %.40q: want a number from 0.1, or none", c.clientRate)
	}
	opts.ClientRate, opts.ClientBurst = rate, int(clientBurst*rate)
	if strings.Trim(c.clientField, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
		return fmt.Errorf("-client-field %.40q: want the name of a header field, such as X-Forwarded-For", c.clientField)
	}
	return nil
}

// fromProxy returns r with the client address that a proxy has set in a field, if there is one: the
// last one in it, because those before are what the client claims.
func fromProxy(r *http.Request, field string) *http.Request {
	all := strings.Join(r.Header.Values(field), ",")
	text := strings.TrimSpace(all[strings.LastIndexByte(all, ',')+1:])
	at, err := netip.ParseAddrPort(text)
	if ip, notAlone := netip.ParseAddr(text); notAlone == nil {
		at, err = netip.AddrPortFrom(ip, 0), nil
	}
	if err == nil {
		r = r.WithContext(r.Context()) // a copy
		r.RemoteAddr = at.String()
	}
	return r
}
