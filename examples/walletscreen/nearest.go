package main

import (
	"fmt"
	"strings"
)

// didYouMean returns the end of an error about a name that is not in names: the nearest
// name, the valid ones, or a reference to -help.
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

// maxShown is the length of the longest argument that an error quotes. A longer one could be
// a private key in the wrong place.
const maxShown = 40

// unexpected returns an error about an argument that a command does not take.
func unexpected(arg string) error {
	if len(arg) > maxShown {
		return fmt.Errorf("unexpected argument of %d characters", len(arg))
	}
	return fmt.Errorf("unexpected argument %q", arg)
}

// editDistance returns how many letters must be added, left out, replaced or swapped
// with the next to make a into b.
func editDistance(a, b string) int {
	before, last, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(last[j]+cost, last[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, last, next = last, next, before
	}
	return last[len(b)]
}

// orList returns words as "a, b or c".
func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}
