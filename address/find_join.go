package address

import (
	"slices"
	"strings"
)

// join searches for an address that a blank, or one or two line breaks, interrupt and that
// ends in the chunk at start to end.
func (f *finder) join(start, end int) {
	last := f.last[0]
	if last.end == last.start || !isGap(f.text[last.end:start]) {
		return
	}
	f.joinWith(last, "", start, end)
	first := f.last[1]
	if n := last.end - last.start; first.end > first.start && n < maxJoin && isGap(f.text[first.end:last.start]) {
		f.joinWith(first, f.text[last.start:last.end], start, end)
	}
}

// joinWith searches for an address that begins in first, continues with all of
// middle, and ends in the chunk at start to end.
func (f *finder) joinWith(first span, middle string, start, end int) {
	leftEnd := first.end
	word := skip(classAlnum, f.text[:end], start) // end of the first word
	last := f.lastWord(start, end)
	var buf [maxJoin]byte
	for i := max(first.start, leftEnd-maxJoin); i < leftEnd; i++ {
		if !f.isAlnum(i) || i > first.start && f.isAlnum(i-1) {
			continue // not the beginning of a word
		}
		if !mayBegin(f.text[i:leftEnd]) {
			continue
		}
		left := copy(buf[:], f.text[i:leftEnd])
		left += copy(buf[left:], middle)
		for k, to := range [...]int{word, last, end} {
			n := left + to - start
			if to == start || n < minGlued || n > len(buf) || k > 0 && to == word || k > 1 && to == last {
				continue
			}
			copy(buf[left:], f.text[start:to])
			if !mayJoin(buf[:n]) {
				continue
			}
			joined := string(buf[:n])
			if isEVMText(joined) && !isEIP55Capitals(joined[2:]) {
				continue
			}
			if a, ok := f.proven(joined); ok {
				f.add(a, i, to)
			}
		}
	}
}

// mayJoin reports false if b is certainly not an address, so that most texts are
// not copied to a string.
func mayJoin(b []byte) bool {
	all := classesOf(b)
	return slices.ContainsFunc(candidates(len(b)), func(l *look) bool { return l.proves && fits(b, all, &l.bounds) })
}

// isBreak reports whether gap is one or two line breaks, possibly with blanks around
// them.
func isBreak(gap string) bool {
	breaks := 0
	for i := range len(gap) {
		switch {
		case gap[i] == '\n':
			breaks++
		case !isPadding(gap[i]):
			return false
		}
	}
	return 1 <= breaks && breaks <= 2
}

// joinHex searches for "0x" and 40 hex digits that begin at the end of the chunk at
// start to end, and go on behind a blank or in the next lines. Mixed case must match
// EIP-55.
func (f *finder) joinHex(start, end int) {
	at := end // of the digits, and then of "0x"
	for at > start && end-at < 40 && charClass[f.text[at-1]]&classHex != 0 {
		at--
	}
	if at -= 2; at < start || !hasHexPrefix(f.text[at:end]) || at > start && charClass[f.text[at-1]]&classHex != 0 {
		return
	}
	digits := append(make([]byte, 0, 64), f.text[at+2:end]...)
	stop := 0 // the end of the address
	for len(digits) < 64 {
		from, to := f.nextHex(end)
		if to == from || len(digits) < 40 && len(digits)+to-from > 40 {
			break
		}
		if digits = append(digits, f.text[from:to]...); len(digits) == 40 {
			stop = to
		}
		end = to
	}
	if stop == 0 || len(digits) == 64 || !f.isNew(at, stop) {
		return // nothing, or a hash
	}
	text := "0x" + string(digits[:40])
	if kind, _ := hexCase(text[2:]); kind == hasLower|hasUpper && !isEIP55(text[2:]) {
		return
	}
	var a Address
	if a.parseRow(ethereumRow, text, true).err == nil {
		f.add(a, at, stop)
	}
}

// nextHex returns where the hex digits are that go on behind a blank or in the next line,
// from what ends at end. If there are none, from is to.
func (f *finder) nextHex(end int) (from, to int) {
	from = end
	for from < len(f.text) && (isPadding(f.text[from]) || f.text[from] == '\n') && from-end < 64 {
		from++
	}
	to = skip(classHex, f.text[:min(len(f.text), from+41)], from)
	gap := f.text[end:from]
	if !isBreak(gap) && (gap != " " || hexOf(f.text[from:to]) < 3) || to < len(f.text) && f.isAlnum(to) {
		return from, from
	}
	return from, to
}

// Groups are consecutive words of equal length, with blanks or line breaks between
// them.
type groups struct {
	first span // the chunk before, which may begin the address, or zero
	words [maxGroups]span
	n     int // of words
}

// The numbers and lengths of groups that may be an address.
const (
	minGroups   = 3
	maxGroups   = 40
	maxGroupLen = 16
)

// group adds the chunk at start to end to the groups. isWord reports whether it is a
// word.
func (f *finder) group(start, end int, isWord bool) {
	g := &f.groups
	before := f.last[0]
	near := before.end > before.start && isGap(f.text[before.end:start])
	if g.n > 0 && near && isWord && g.n < maxGroups && end-start == g.words[0].end-g.words[0].start {
		g.words[g.n] = span{start, end}
		g.n++
		return
	}
	if near && g.n >= minGroups {
		f.joinGroups(span{start, end})
	} else {
		f.endGroup()
	}
	g.n = 0
	if !isWord || end-start > maxGroupLen || end-start < 2 {
		return
	}
	g.first = span{}
	if near {
		g.first = before
	}
	g.words[0], g.n = span{start, end}, 1
}

func (f *finder) endGroup() {
	if f.groups.n >= minGroups {
		f.joinGroups(span{})
	}
}

// isGap reports whether gap may stand between two pieces.
func isGap(gap string) bool { return gap == " " || isBreak(gap) }

// joinGroups searches for an address in the groups, which the chunk last follows.
func (f *finder) joinGroups(last span) {
	g := &f.groups
	size := g.words[0].end - g.words[0].start
	begin, stop := g.words[0].start, g.words[g.n-1].end
	first := g.first.end
	for first > g.first.start && g.first.end-first <= 2*maxGroupLen && (f.isAlnum(first-1) || strings.IndexByte(":._", f.text[first-1]) >= 0) {
		first--
	}
	to := skip(classAlnum, f.text[:min(last.end, last.start+size)], last.start)
	marks := 0 // digits, and capitals behind small letters
	for i := min(begin, first); i < max(stop, to); i++ {
		if c := charClass[f.text[i]]; c&classDigit != 0 || c&classUpper != 0 && i > 0 && charClass[f.text[i-1]]&classLower != 0 {
			marks++
		}
	}
	if marks < 3 || g.n*size < 16 || !f.isNew(min(begin, first), max(stop, to)) {
		return
	}
	if to < last.end && f.isAlnum(to) {
		to = last.start
	}
	whole := false
	for variant := range 4 { // with the first and the last, or without
		var e edited
		if variant&1 == 0 && first < g.first.end {
			e.add(f.text[first:g.first.end], first, g.first.end, 1)
		} else if variant&1 == 0 {
			continue
		}
		for _, w := range g.words[:g.n] {
			e.add(f.text[w.start:w.end], w.start, w.end, 1)
		}
		if variant&2 == 0 && last.start < to {
			e.add(f.text[last.start:to], last.start, to, 1)
		} else if variant&2 == 0 {
			continue
		}
		f.searchEdited(&e, maxDepth, whole)
		whole = true // the first variant has all
	}
}
