package main

import "github.com/walletscreen/walletscreen/score"

// A tally counts verdicts. Each text has a level or is undecided.
type tally struct {
	levels    map[score.Level]int64
	undecided int64 // texts without a level
	doubtful  int64 // texts with a level, about which something is left to decide
	rows      int64 // texts
}

func (t *tally) count(level score.Level, undecided bool) {
	if t.levels == nil {
		t.levels = make(map[score.Level]int64)
	}
	t.rows++
	switch {
	case level == "" && undecided:
		t.undecided++
	case level != "":
		if t.levels[level]++; undecided {
			t.doubtful++
		}
	}
}

func (t *tally) add(v *verdict) {
	level := score.Level("")
	if v.hasLevel() {
		level = v.result.Level
	}
	t.count(level, v.isUndecided())
}

// addPayees counts the verdicts about the accounts that one text pays: the worst one.
func (t *tally) addPayees(all []verdict) {
	worst := &all[0]
	for i := range all {
		if v := &all[i]; v.result.Score > worst.result.Score || !worst.isListed() && v.err != nil {
			worst = v
		}
	}
	t.add(worst)
}

// classes returns how many texts are of each class, the most severe first.
func (t *tally) classes() (all []reportClass) {
	for _, l := range []score.Level{score.Critical, score.High, score.Medium, score.Low, undecided, score.CleanNoMatch} {
		n := t.levels[l]
		if l == undecided {
			n = t.undecided
		}
		if n > 0 {
			all = append(all, reportClass{string(l), n})
		}
	}
	return all
}

// A reportClass is how many rows are of a level, or UNDECIDED.
type reportClass struct {
	Class string `json:"class"`
	Rows  int64  `json:"rows"`
}

// undecided is the class of texts without a level.
const undecided = "UNDECIDED"

func (t *tally) code() int {
	switch {
	case t.undecided+t.doubtful > 0:
		return exitUndecided
	case len(t.levels) > 0 && t.rows > t.levels[score.CleanNoMatch]:
		return exitMatch
	}
	return exitClean
}
