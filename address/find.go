package address

import (
	"cmp"
	"slices"
	"strings"
)

// A Found is an address that [FindAll] found in a text.
type Found struct {
	// Address is the address, or zero for what [FindLikely] takes for one.
	Address Address
	// Start and End are byte offsets: text[Start:End] is the spelling in
	// the text, including what interrupts it.
	Start, End int
}

// FindAll returns the addresses in text, in order and without overlaps. If two begin at the same
// place, it returns the longer one. It finds only proven addresses (see [Address.Proven]). An
// address that fits several chains is returned for the first chain that [Detect] returns, so every
// "0x" address is one of ethereum. If there are no addresses, FindAll returns nil.
//
// Labels, colons, brackets, full stops and URLs around an address do not matter. The details:
//
//   - FindAll finds "0x" and 40 hex digits in any letter case, as [Normalize] accepts
//     them, unless another hex digit is adjacent that is not part of an escape such as
//     %3D or of another address. Digits in mixed case that match EIP-55 are found
//     anywhere, and without "0x" if they stand alone. In 64 digits that begin with 24 zeros, as in the topics of logs, the
//     other 40 are an address unless the first eight of them are zeros too.
//   - Between other letters and digits, FindAll finds addresses in Base58Check with 20
//     bytes of payload and the versions of bitcoin, litecoin, dogecoin, dash, zcash,
//     tron, tezos and neo, which other chains share, classic addresses of xrp, and
//     Bech32. Other addresses must stand apart.
//   - FindAll finds an address that a blank, a tab or two, or one or two line breaks interrupt, if its
//     checksum matches. "0x" and digits in one letter case may continue behind blanks and on
//     any number of lines if they are 40 in total. Hyphens at the end of a line, marks of quotation, of
//     comments and numbers at the beginning of one, and concatenated strings of source
//     code are read as such.
//   - FindAll finds an address in groups of equal length with blanks or line breaks
//     between them; the first and the last may be shorter.
//   - Invisible characters, the colors of a terminal, inline tags of HTML, and escapes of
//     HTML, JSON, URLs and quoted-printable do not matter, nor do full-width characters.
//
// FindAll does not find hashes, registration numbers, or addresses with a typing error or a
// look-alike letter from another alphabet; see [FindLikely]. The text may contain any bytes. The
// running time is linear in the length of the text.
func FindAll(text string) []Found {
	f := finder{text: text}
	f.search()
	return disjoint(f.found)
}

// The limits of the search.
const (
	minChunk = 8   // the shortest address with separators: the principal aaaaa-aa
	minWord  = 14  // the shortest of letters and digits: bc1pfeessrawgf
	minGlued = 26  // the shortest that is cut out of a longer run
	maxSpan  = 144 // the longest address that has other text around it
	maxJoin  = 256 // the longest that is broken
	maxWhole = 512 // the longest
	nemLen   = 46  // an address of nem in groups
	maxDepth = 3   // the number of times that a text is edited, for escapes within escapes
)

// A finder searches one text. Its methods take offsets in the text.
//
// A word is a maximal run of letters and digits. A chunk is a maximal run of
// words and of the separators that occur in addresses.
type finder struct {
	text  string
	found []Found
	tries int // number of strings tried as addresses, for tests

	sinceHex int // the length of the chunks since the last "0x", or more

	edited *edited // whose text this is, or nil
	edits  int     // the number of its edits up to the end of the chunk
	depth  int     // the number of times that it was edited
}

// search searches the text, and then the texts that clean returns for it.
func (f *finder) search() {
	f.scan()
	for depth := f.depth; depth < maxDepth; depth++ {
		how := min(cleaning(depth), andNumbers)
		if e := clean(f.text, how); e != nil {
			f.searchIn(e, depth+1)
			if f.depth == 0 {
				f.searchIn(e.withEquals(f.text, how), depth+1)
			}
			return
		}
	}
}

// searchIn searches e, which the text was edited to, if it is not nil.
func (f *finder) searchIn(e *edited, depth int) {
	if e == nil {
		return
	}
	g := finder{text: e.text.String(), edited: e, depth: depth}
	g.search()
	f.tries += g.tries
	for _, found := range g.found {
		found.Start, _ = e.place(found.Start)
		_, found.End = e.place(found.End - 1)
		f.found = append(f.found, found)
	}
}

func (f *finder) scan() {
	f.sinceHex = evmLen
	n, n1, n2, n3 := 0, 0, 0, 0 // the length of the chunk, of the one before it, and so on
	for i := 0; i < len(f.text); {
		if charClass[f.text[i]]&classAddress == 0 {
			i++
			continue
		}
		start := i
		all := ^uint16(0)
		hexAt := -1
		for ; i < len(f.text) && charClass[f.text[i]]&classAddress != 0; i++ {
			all &= charClass[f.text[i]]
			if f.text[i]|0x20 == 'x' && i > start && f.text[i-1] == '0' {
				hexAt = i - 1
			}
		}
		f.countEdits(i)
		n, n1, n2, n3 = i-start, n, n1, n2
		isGroup := n1 == n2 && n1 <= maxGroup && (4*n1 >= minGlued || n2 == n3) // the last of four, or of more
		if n+n1+n2 >= minGlued || isGroup || f.sinceHex < evmLen {
			f.join(start, i)
		}
		if f.sinceHex += n; hexAt >= 0 {
			f.sinceHex = i - hexAt
		}
		if (n >= minWord || n >= minChunk && all&classAlnum == 0) && f.isNew(start) {
			f.chunk(start, i)
		}
	}
}

// countEdits counts the edits up to the end of a chunk.
func (f *finder) countEdits(end int) {
	for f.edited != nil && f.edits < len(f.edited.edits) && f.edited.edits[f.edits].at <= end {
		f.edits++
	}
}

// isNew reports whether there is an edit between start and the end of the chunk. Other text
// was searched before the edits.
func (f *finder) isNew(start int) bool {
	return f.edited == nil || f.edits > 0 && f.edited.edits[f.edits-1].at >= start
}

func (f *finder) add(a Address, start, end int) {
	f.found = append(f.found, Found{a, start, end})
}

func (f *finder) try(start, end int) bool {
	a, ok := f.proven(f.text[start:end])
	if ok {
		f.add(a, start, end)
	}
	return ok
}

func (f *finder) chunk(start, end int) {
	last := f.lastWord(start, end)
	for i := start; i < last; {
		from := i
		if i = skip(classAlnum, f.text[:end], i); i == from {
			i++
			continue
		}
		f.word(from, i)
		if i-from == end-start || !mayBegin(f.text[from:end]) {
			continue
		}
		// An address with separators extends to the end of the next word, if that is long, of the
		// last one or of the chunk, or it has a length of its own.
		next := skip(classAlnum, f.text[:end], i+1)
		if next-i <= minWord {
			next = 0
		}
		for _, to := range [...]int{next, last, end, from + ownLen(f.text[from:end])} {
			if minChunk <= to-from && to-from <= maxSpan {
				f.try(from, to)
			}
		}
		f.principal(from, end)
	}
}

// lastWord returns the end of the last word of the chunk at start to end.
func (f *finder) lastWord(start, end int) int {
	for end > start && !f.isAlnum(end-1) {
		end--
	}
	return end
}

func (f *finder) isAlnum(i int) bool { return charClass[f.text[i]]&classAlnum != 0 }

func (f *finder) word(start, end int) {
	if end-start < minWord || end-start >= 64 && f.padded(start, end) {
		return
	}
	if end-start == evmLen-len("0x") && isEIP55Capitals(f.text[start:end]) {
		f.addEVM("0x"+f.text[start:end], start, end)
		return
	}
	if end-start >= evmLen {
		start = f.evm(start, end) // the part before is already searched
	}
	if !f.try(start, end) {
		f.glued(start, end)
	}
}

// addEVM adds the address s, "0x" and 40 hex digits.
func (f *finder) addEVM(s string, start, end int) {
	var a Address
	a.parseRow(ethereumRow, s, true)
	f.add(a, start, end)
}

// evm searches the word at start to end for "0x" and 40 hex digits. It returns the offset up to
// which the word is completely searched: the end of the last address that it found.
func (f *finder) evm(start, end int) int {
	done := start
	for i := start; i+evmLen <= end; i++ {
		digits := f.text[i+2 : i+evmLen]
		if !hasHexPrefix(f.text[i:]) || !isHex(digits) || !f.standsAlone(i, done, end) && !isEIP55Capitals(digits) {
			continue
		}
		f.glued(done, i)
		f.addEVM(f.text[i:i+evmLen], i, i+evmLen)
		done = i + evmLen
		i = done - 1
	}
	return done
}

// padded searches the word at start to end, of 64 hex digits or more, for addresses
// that are padded with zeros to 32 bytes, as in the topics of logs and in the data of
// calls. It reports whether there are any.
func (f *finder) padded(start, end int) (found bool) {
	if hasHexPrefix(f.text[start:end]) {
		start += 2
	}
	const word, selector = 64, 8
	if n := (end - start) % word; n == selector {
		start += selector
	} else if n != 0 {
		return false
	}
	for ; start < end; start += word {
		if a, ok := readPadded(f.text[start : start+word]); ok {
			f.add(a, start, start+word)
			found = true
		}
	}
	return found
}

// readPadded reads 64 hex digits as an EVM address that is padded with zeros to 32 bytes.
// A number begins with more zeros.
func readPadded(digits string) (a Address, ok bool) {
	const pad = 24
	ok = strings.Trim(digits[:pad], "0") == "" && strings.Trim(digits[pad:pad+8], "0") != "" && a.parseRow(ethereumRow, "0x"+digits[pad:], true).err == nil
	return a, ok
}

// standsAlone reports whether no hex digit is adjacent to the "0x" and 40 hex
// digits at start. Before them it allows the end of another address, at done,
// and an escape such as %3D; after them it allows another "0x".
func (f *finder) standsAlone(start, done, end int) bool {
	if start > 0 && start != done && charClass[f.text[start-1]]&classHex != 0 &&
		!(start >= 3 && f.text[start-3] == '%' && charClass[f.text[start-2]]&classHex != 0) {
		return false
	}
	behind := start + evmLen
	return behind >= end || charClass[f.text[behind]]&classHex == 0 || hasHexPrefix(f.text[behind:end])
}

// isEIP55Capitals reports whether the 40 hex digits are in mixed case and match EIP-55.
func isEIP55Capitals(digits string) bool {
	kind, _ := hexCase(digits)
	return kind == hasLower|hasUpper && eip55.matches(digits)
}

// ownLen returns the length of the address of ton or nem as which s, which is longer, begins, or 0.
func ownLen(s string) int {
	switch {
	case len(s) > tonLen && (s[0] == 'E' || s[0] == 'U') && (s[1] == 'Q' || s[1] == 'f'):
		return tonLen
	case len(s) > nemLen && s[0] == 'N' && s[6] == '-':
		return nemLen
	}
	return 0
}

// principal searches for a principal of the Internet Computer, or for an
// account of one, that begins at start.
func (f *finder) principal(start, end int) {
	i := start
	if i+5 >= end || f.text[i+5] != '-' {
		return
	}
	for i+5 < end && f.isAlnum(i+4) && f.text[i+5] == '-' && i-start < principalMaxText {
		i += 6
	}
	to := skip(classLower32, f.text[:min(end, i+5)], i)
	if to < end {
		f.try(start, to)
	}
	dot := skip(classLower32, f.text[:min(end, i+7)], to)
	if dot == i+7 && dot < end && f.text[dot] == '.' {
		to = skip(classHex, f.text[:min(end, dot+1+64)], dot+1)
		if to < end {
			f.try(start, to)
		}
	}
}

// mayBegin reports false if no address begins with s. It checks the position of
// the first separator.
func mayBegin(s string) bool {
	for i := range min(len(s), len("bitcoincash:")) {
		if charClass[s[i]]&classAlnum != 0 {
			continue
		}
		switch s[i] {
		case '-':
			return i == 1 && (s[0] == 'X' || s[0] == 'P') || i == 5 || i == 6 || s[0] == 'E' || s[0] == 'U'
		case ':':
			return i == 3 || i == 5 || i == len("bitcoincash")
		case '.':
			return i == 1 && s[0] == '0'
		}
		return i == 2 || i == 3 || i == 4 || i == 7 || s[0] == 'E' || s[0] == 'U' // ak_, xrb_, nano_, account_, TON
	}
	return true
}

// disjoint returns the addresses in order. Where several overlap, it keeps the first and longest.
func disjoint(all []Found) []Found {
	order := func(a, b Found) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End)) }
	if !slices.IsSortedFunc(all, order) {
		slices.SortStableFunc(all, order)
	}
	end := 0
	return slices.DeleteFunc(all, func(g Found) bool {
		if g.Start < end {
			return true
		}
		end = g.End
		return false
	})
}
