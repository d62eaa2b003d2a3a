package main

import (
	"fmt"
	"strings"
)

// didYouMean returns the end of an error about an unknown name: the nearest one, all, or a reference to -help.
func didYouMean(name string, names []string, prefix string) string {
	best, distance := "", 1+len(name)/2
	for _, n := range names {
		if d := editDistance(strings.ToLower(name), strings.ToLower(n)); d < distance {
			best, distance = n, d
		}
	}
	for _, n := range names {
		if best == "" && (strings.HasPrefix(n, name) || strings.HasPrefix(name, n)) {
			best = n
		}
	}
	if best == "" {
		if len(names) > 12 || len(names) == 0 {
			return "; see -help"
		}
		quoted := make([]string, len(names))
		for i, n := range names {
			quoted[i] = prefix + n
		}
		return "; want " + orList(quoted)
	}
	return fmt.Sprintf("; did you mean %s%s?", prefix, best)
}

// maxShown is the length of the longest argument that an error quotes.
const maxShown = 40

// isShown reports whether an error may quote an argument: it is no private key in the wrong place.
func isShown(arg string) bool { return len(arg) <= maxShown && !plausible(arg) }

// unexpected returns an error about an argument that a command does not take.
func unexpected(arg string) error {
	if !isShown(arg) {
		return fmt.Errorf("unexpected argument of %d characters", len(arg))
	}
	return fmt.Errorf("unexpected argument %q", arg)
}

// editDistance returns how many letters must be added, left out or replaced to make a into b.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}

// orList returns words as "a, b or c".
func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
