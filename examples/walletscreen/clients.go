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
	if c.clientField == "" {
		return nil
	}
	if strings.Trim(c.clientField, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
		return fmt.Errorf("-client-field %.40q: want the name of a header field, such as X-Forwarded-For", c.clientField)
	}
	opts.ClientAddress = func(r *http.Request) string { return clientOf(r, c.clientField) }
	return nil
}

// clientOf returns the client address that a proxy has set in a field of r: the last one in
// it, because those before are what the client claims. It is the peer if there is none.
func clientOf(r *http.Request, field string) string {
	all := strings.Join(r.Header.Values(field), ",")
	for _, text := range []string{strings.TrimSpace(all[strings.LastIndexByte(all, ',')+1:]), r.RemoteAddr} {
		ip, err := netip.ParseAddr(text)
		if err != nil {
			at, _ := netip.ParseAddrPort(text)
			ip = at.Addr()
		}
		if ip = ip.Unmap().WithZone(""); !ip.Is6() {
			if ip.IsValid() {
				return ip.String()
			}
			continue
		}
		network, _ := ip.Prefix(64) // one host or household has it to itself
		return network.String()
	}
	return r.RemoteAddr
}
