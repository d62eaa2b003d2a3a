package nbctf

// ParseAt is Parse at another time.
var ParseAt = parse
