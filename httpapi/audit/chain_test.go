package audit_test

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/walletscreen/walletscreen/httpapi/audit"
	"github.com/walletscreen/walletscreen/internal/evidence"
	"github.com/walletscreen/walletscreen/internal/longtest"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
)

// newTrail writes a trail of three files with eight lines each, and returns their names.
func newTrail(t *testing.T, dir string, key []byte) (files []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := newScreener(t)
		l := open(t, dir, &audit.Options{HashKey: key})
		stop := run(l)
		for day := range 3 {
			for i := range 8 {
				if err := l.Record(t.Context(), newScreening(t, s, fmt.Sprintf("%d-%d", day, i))); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Second)
			}
			time.Sleep(24 * time.Hour)
		}
		if err := stop(); err != nil {
			t.Fatal(err)
		}
	})
	files, err := filepath.Glob(filepath.Join(dir, "audit-*.jsonl"))
	if err != nil || len(files) != 3 {
		t.Fatal(files, err)
	}
	return files
}

// TestVerify cuts, edits and reorders a trail, and checks that each change is named by its line.
func TestVerify(t *testing.T) {
	edit := func(lines []string, i int, old, new string) []string {
		lines[i] = strings.Replace(lines[i], old, new, 1)
		return lines
	}
	follows := func(line string) string {
		return line + ": follows another line than the one before it, which was changed or put in its place"
	}
	forge := func(line string) string { return strings.Replace(line, `"score":0`, `"score":9`, 1) }
	for _, tt := range []struct {
		name   string
		change func(lines []string) []string // of the second file, whose lines are 9 to 16 of the trail
		want   string                        // the faults, as line: reason
	}{
		{"nothing", func(l []string) []string { return l }, ""},
		{"edited", func(l []string) []string { return edit(l, 3, `"score":0`, `"score":9`) }, "4: changed"},
		{"edited, the first", func(l []string) []string { return edit(l, 0, `"completeness":"whole"`, `"completeness":"hole"`) }, "1: changed"},
		{"edited, the last", func(l []string) []string { return edit(l, 7, `"score":0`, `"score":9`) }, "8: changed"},
		{"edited twice", func(l []string) []string { l[2], l[5] = forge(l[2]), forge(l[5]); return l }, "3: changed; 6: changed"},
		{"a sum", func(l []string) []string { return edit(l, 3, `"sum":"`, `"sum":"0`)[:8] },
			"4: not a line of the trail; 5: cannot be verified: the line before it is not one of the trail"},
		{"another sum", func(l []string) []string {
			i := strings.Index(l[3], `"sum":"`) + 7
			l[3] = l[3][:i] + strings.Map(func(r rune) rune { return '0' + (r+1)%8 }, l[3][i:i+64]) + l[3][i+64:]
			return l
		}, "4: changed"},
		{"a number", func(l []string) []string { return edit(l, 3, `"n":12`, `"n":15`) }, "4: changed"},
		{"a lower number", func(l []string) []string { return edit(l, 3, `"n":12`, `"n":2`) }, "4: changed"},
		{"cut", func(l []string) []string { return slices.Delete(l, 3, 4) }, "4: line 12 of the trail is missing before it"},
		{"cut, several", func(l []string) []string { return slices.Delete(l, 1, 6) }, "2: lines 10 to 14 of the trail are missing before it"},
		{"cut at the beginning", func(l []string) []string { return l[2:] }, "1: lines 9 to 10 of the trail are missing before it"},
		{"cut at the end", func(l []string) []string { return l[:6] }, "next 1: lines 15 to 16 of the trail are missing before it"},
		{"all", func([]string) []string { return nil }, "next 1: lines 9 to 16 of the trail are missing before it"},
		{"reordered", func(l []string) []string { l[3], l[4] = l[4], l[3]; return l },
			"4: line 12 of the trail is missing before it; 5: line 12 of the trail does not belong here"},
		{"repeated", func(l []string) []string { return slices.Insert(l, 4, l[3]) }, "5: line 12 of the trail does not belong here"},
		{"added", func(l []string) []string { return slices.Insert(l, 4, "{}\n") }, "5: not a line of the trail"},
		{"added, forged", func(l []string) []string { return slices.Insert(l, 4, strings.Replace(l[3], `"n":12`, `"n":13`, 1)) }, "5: changed"},
		{"added at the end, without a line feed", func(l []string) []string { return append(l, strings.TrimSuffix(forge(l[3]), "\n")) },
			"9: not a line of the trail"},
		{"half a line added", func(l []string) []string { return append(l, l[3][:40]) }, "9: not a line of the trail"},
		{"replaced", func(l []string) []string { l[4] = "{}\n"; return l }, "5: not a line of the trail; 6: cannot be verified: the line before it is not one of the trail"},
		{"forged behind an empty line", func(l []string) []string { l[4], l[5] = "\n", forge(l[5]); return l },
			"5: not a line of the trail; 6: changed"},
		// With a key, nobody else can seal a line again, and the sum of the line is wrong. Without it, the next line shows the change.
		{"edited, and sealed again", func(l []string) []string { l[3] = sealed(forge(l[3])); return l },
			follows("5") + "|4: changed; " + follows("5")},
		{"sealed again behind an empty line", func(l []string) []string { l[4], l[5] = "\n", sealed(forge(l[5])); return l },
			"5: not a line of the trail; 6: cannot be verified: the line before it is not one of the trail; " + follows("7") +
				"|5: not a line of the trail; 6: changed; " + follows("7")},
		{"added, and sealed", func(l []string) []string {
			return slices.Insert(l, 4, sealed(strings.Replace(forge(l[4]), `"n":12`, `"n":13`, 1)))
		},
			"6: line 13 of the trail does not belong here|5: changed"},
	} {
		without, with, ok := strings.Cut(tt.want, "|")
		if !ok {
			with = without
		}
		for _, key := range [][]byte{nil, bytes.Repeat([]byte{7}, 32)} {
			dir := t.TempDir()
			files := newTrail(t, dir, key)
			text, err := os.ReadFile(files[1])
			if err != nil {
				t.Fatal(err)
			}
			lines := tt.change(slices.Collect(strings.Lines(string(text))))
			if err := os.WriteFile(files[1], []byte(strings.Join(lines, "")), 0o600); err != nil {
				t.Fatal(err)
			}
			trail, err := evidence.Verify(dir, key, "")
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range trail.Faults {
				where := strconv.Itoa(f.Line)
				if f.File == filepath.Base(files[2]) {
					where = "next " + where
				}
				got = append(got, where+": "+f.Reason)
			}
			want := map[bool]string{true: with, false: without}[key != nil]
			if all := strings.Join(got, "; "); all != want || trail.First != 1 || trail.Last != 24 {
				t.Errorf("%s: %q, want %q; %+v", tt.name, all, want, trail)
			}
		}
	}
}

// sealed returns a line with the sum that it has in a trail without a key.
func sealed(line string) string {
	i := strings.LastIndex(line, `","sum":"`)
	return fmt.Sprintf("%s\",\"sum\":\"%x\"}\n", line[:i], sha256.Sum256([]byte(line[:i])))
}

// TestVerifyEnds cuts the trail at its ends, deletes files, and takes another key.
func TestVerifyEnds(t *testing.T) {
	key := bytes.Repeat([]byte{7}, 32)
	dir := t.TempDir()
	files := newTrail(t, dir, key)
	keep := map[string][]byte{}
	for _, name := range append(files, filepath.Join(dir, "audit.head")) {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		keep[name] = text
	}
	last := keep[files[2]]
	cut := func(n int) []byte { return last[:len(last)-n] }
	for _, tt := range []struct {
		name, file string
		text       []byte // nil: deleted
		key        []byte
		want       string
	}{
		{"the last line", files[2], []byte(strings.Join(slices.Collect(strings.Lines(string(last)))[:7], "")), key,
			"20000103T000016.000000000Z.jsonl: line 24 of the trail is cut off at the end"},
		{"within the last line", files[2], cut(9), key, "line 24 of the trail is cut off at the end"},
		{"a line feed", files[2], cut(1), key, "line 24 of the trail is cut off at the end"},
		{"a line added again, without a line feed", files[2], append(bytes.Clone(last), last[:bytes.IndexByte(last, '\n')]...), key,
			"20000103T000016.000000000Z.jsonl, line 9: not a line of the trail"},
		{"a forged line added, without a line feed", files[2], append(bytes.Clone(last), `{"screened_at":"2000-01-03T00:00:30Z","level":"CLEAN_NO_MATCH"}`...), key,
			"20000103T000016.000000000Z.jsonl, line 9: not a line of the trail"},
		{"the last file", files[2], nil, key, "lines 17 to 24 of the trail are cut off at the end"},
		{"the first file", files[0], nil, key, "20000102T000008.000000000Z.jsonl, line 1: lines 1 to 8 of the trail are missing before it"},
		{"the head", filepath.Join(dir, "audit.head"), nil, key, "audit.head: missing or damaged"},
		{"of the head", filepath.Join(dir, "audit.head"), []byte("{"), key, "audit.head: changed, damaged"},
		{"of an earlier head", filepath.Join(dir, "audit.head"), bytes.Replace(keep[filepath.Join(dir, "audit.head")], []byte(`"n":24`), []byte(`"n":22`), 1), key,
			"audit.head: changed, damaged"},
		{"a key", files[0], keep[files[0]], nil, "20000101T000000.000000000Z.jsonl, line 1: changed"},
	} {
		if err := os.WriteFile(tt.file, tt.text, 0o600); err != nil {
			t.Fatal(err)
		}
		if tt.text == nil {
			os.Remove(tt.file)
		}
		trail, err := evidence.Verify(dir, tt.key, "")
		if err != nil || len(trail.Faults) == 0 || !strings.Contains(trail.Faults[0].String(), tt.want) || len(trail.Faults) > 1 && tt.key != nil {
			t.Errorf("%s: %+v, %v; want %q", tt.name, trail, err, tt.want)
		}
		if err := os.WriteFile(tt.file, keep[tt.file], 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if trail, err := evidence.Verify(dir, key, ""); err != nil || len(trail.Faults) > 0 || trail.Lines != 24 || !strings.Contains(string(last), trail.Sum) {
		t.Errorf("%+v, %v", trail, err)
	}
	if trail, err := evidence.Verify(t.TempDir(), nil, ""); err == nil {
		t.Errorf("of an empty directory: %+v", trail)
	}
}

// TestVerifyBytes changes single bytes of a trail.
func TestVerifyBytes(t *testing.T) {
	dir := t.TempDir()
	files := newTrail(t, dir, nil)
	step := longtest.Step(37, 3)
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(text); i += step {
			changed := bytes.Clone(text)
			changed[i] ^= 1
			if err := os.WriteFile(name, changed, 0o600); err != nil {
				t.Fatal(err)
			}
			trail, err := evidence.Verify(dir, nil, "")
			line := 1 + bytes.Count(text[:i], []byte("\n"))
			if i == len(text)-1 && err == nil && len(trail.Faults) > 0 {
				continue // a line that was being written, until the next file says that it is missing
			}
			if err != nil || len(trail.Faults) == 0 || trail.Faults[0].File != filepath.Base(name) || trail.Faults[0].Line != line {
				t.Errorf("%s, byte %d, line %d: %+v, %v", name, i, line, trail, err)
			}
		}
		if err := os.WriteFile(name, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	intact(t, dir)
}

// A start does not make a trail whole: what was cut off, changed or put back is found by each later verification.
func TestStartKeepsFaults(t *testing.T) {
	key := bytes.Repeat([]byte{7}, 32)
	lines := func(name string, from, to int) {
		text, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(name, []byte(strings.Join(slices.Collect(strings.Lines(string(text)))[from:to], "")), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct {
		name   string
		change func(dir string, files []string)
		want   string
	}{
		{"nothing", func(string, []string) {}, ""},
		{"the last lines", func(_ string, files []string) { lines(files[2], 0, 6) }, "lines 23 to 24 of the trail are missing before it"},
		{"the first lines", func(_ string, files []string) { lines(files[0], 2, 8) }, "lines 1 to 2 of the trail are missing before it"},
		{"the last file", func(_ string, files []string) { os.Remove(files[2]) }, "lines 17 to 24 of the trail are missing before it"},
		{"all files", func(_ string, files []string) {
			for _, name := range files {
				os.Remove(name)
			}
		}, "lines 1 to 24 of the trail are missing before it"},
		{"the last lines and the head", func(dir string, files []string) { lines(files[2], 0, 6); os.Remove(filepath.Join(dir, "audit.head")) },
			"the trail was not whole when this line was written"},
		{"the last lines, with an edited head", func(dir string, files []string) {
			lines(files[2], 0, 6)
			name := filepath.Join(dir, "audit.head")
			text, _ := os.ReadFile(name)
			os.WriteFile(name, bytes.Replace(text, []byte(`"n":24`), []byte(`"n":22`), 1), 0o600)
		}, "the trail was not whole when this line was written"},
		{"everything, for a copy of the first day", func(dir string, files []string) {
			os.Remove(files[1])
			os.Remove(files[2])
			os.Rename(filepath.Join(dir, "copy"), filepath.Join(dir, "audit.head"))
		}, "lines 9 to 24 of the trail are missing before it"},
		{"a line", func(_ string, files []string) {
			text, _ := os.ReadFile(files[2])
			os.WriteFile(files[2], bytes.Replace(text, []byte(`"score":0`), []byte(`"score":9`), 1), 0o600)
		}, "changed"},
	} {
		for _, key := range [][]byte{key, nil} {
			dir, witness := t.TempDir(), filepath.Join(t.TempDir(), "witness")
			files := witnessed(t, dir, key, witness)
			tt.change(dir, files)
			for range 3 { // starts
				synctest.Test(t, func(t *testing.T) {
					time.Sleep(100 * 24 * time.Hour)
					s := newScreener(t)
					l := open(t, dir, &audit.Options{HashKey: key, Witness: witness})
					stop := run(l)
					if err := l.Record(t.Context(), newScreening(t, s, "x")); err != nil {
						t.Fatal(err)
					}
					if err := stop(); err != nil {
						t.Fatal(err)
					}
				})
			}
			trail, err := evidence.Verify(dir, key, witness)
			if err != nil || (len(trail.Faults) > 0) != (tt.want != "") || tt.want != "" && !strings.Contains(fmt.Sprint(trail.Faults), tt.want) {
				t.Errorf("%s, key %t: %+v, %v; want %q", tt.name, key != nil, trail, err, tt.want)
			}
		}
	}
}

// witnessed is newTrail with a witness; a copy of the head of the first day is in the file copy.
func witnessed(t *testing.T, dir string, key []byte, witness string) (files []string) {
	t.Helper()
	for day := range 3 {
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(time.Duration(day) * 24 * time.Hour)
			s := newScreener(t)
			l := open(t, dir, &audit.Options{HashKey: key, Witness: witness})
			stop := run(l)
			for i := range 8 {
				if err := l.Record(t.Context(), newScreening(t, s, fmt.Sprintf("%d-%d", day, i))); err != nil {
					t.Fatal(err)
				}
			}
			if err := stop(); err != nil {
				t.Fatal(err)
			}
		})
		if text, err := os.ReadFile(filepath.Join(dir, "audit.head")); err != nil || day == 0 && os.WriteFile(filepath.Join(dir, "copy"), text, 0o600) != nil {
			t.Fatal(err)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "audit-*.jsonl"))
	if err != nil || len(files) != 3 {
		t.Fatal(files, err)
	}
	return files
}

// A start with another key, or without one, is an error, and changes nothing.
func TestOtherKey(t *testing.T) {
	one, two := bytes.Repeat([]byte{1}, 32), bytes.Repeat([]byte{2}, 32)
	for _, tt := range []struct{ was, is []byte }{{one, two}, {one, nil}, {nil, one}} {
		for _, file := range []string{"", "audit.head"} { // without it, the lines say so
			dir := t.TempDir()
			newTrail(t, dir, tt.was)
			if file != "" {
				os.Remove(filepath.Join(dir, file))
			}
			if l, err := audit.Open(dir, &audit.Options{HashKey: tt.is}); err == nil || !strings.Contains(err.Error(), "another key, or without one: give its key, or begin a new trail in another directory: "+dir) {
				t.Errorf("%v, then %v: %v, %v", tt.was != nil, tt.is != nil, l, err)
			}
			if l, err := audit.Open(dir, &audit.Options{HashKey: tt.was}); err != nil {
				t.Errorf("with the key: %v, %v", l, err)
			}
		}
	}
}

// A start without the key, or with one now, is an error before the first line, too: the trail would never be whole.
func TestOtherKeyWithoutLines(t *testing.T) {
	key := bytes.Repeat([]byte{1}, 32)
	for _, was := range [][]byte{key, nil} {
		dir, is := t.TempDir(), key
		if was != nil {
			is = nil
		}
		stop := run(open(t, dir, &audit.Options{HashKey: was}))
		if err := stop(); err != nil {
			t.Fatal(err)
		}
		if _, err := audit.Open(dir, &audit.Options{HashKey: is}); err == nil || !strings.Contains(err.Error(), "another key, or without one") {
			t.Errorf("%v, then %v: %v", was != nil, is != nil, err)
		}
		stop = run(open(t, dir, &audit.Options{HashKey: was}))
		if err := stop(); err != nil {
			t.Error(err)
		}
		if trail, err := evidence.Verify(dir, was, ""); err != nil || len(trail.Faults) > 0 {
			t.Errorf("%+v, %v", trail, err)
		}
	}
}

// A trail that an earlier version has written is an error of Open and of Verify, which says what to do.
func TestFormerForm(t *testing.T) {
	for _, line := range []string{`{"type":"screening","request_id":"1","n":2,"sum":"0"}`, `{"type":"lists"}`} {
		dir := t.TempDir()
		name := filepath.Join(dir, "audit-20260101T000000.000000000Z.jsonl")
		if err := os.WriteFile(name, []byte(line+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if l, err := audit.Open(dir, nil); err == nil || !strings.Contains(err.Error(), "verify it with that version, and begin a new trail in another directory") {
			t.Errorf("%v, %v", l, err)
		}
		if trail, err := evidence.Verify(dir, nil, ""); err == nil || !strings.Contains(err.Error(), filepath.Base(name)+", line 1: an earlier version of walletscreen has written this") {
			t.Errorf("%+v, %v", trail, err)
		}
	}
}

// TestVerifyRemoved puts the first file back, which was removed because of its age: a program that was killed
// between writing the head and removing the file leaves it there. It must be as it was.
func TestVerifyRemoved(t *testing.T) {
	for _, key := range [][]byte{nil, bytes.Repeat([]byte{7}, 32)} {
		dir := t.TempDir()
		files := newTrail(t, dir, key)
		first, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		synctest.Test(t, func(t *testing.T) {
			time.Sleep(3 * 24 * time.Hour)
			if err := run(open(t, dir, &audit.Options{HashKey: key, MaxAge: 36 * time.Hour}))(); err != nil {
				t.Fatal(err)
			}
		})
		if _, err := os.Stat(files[0]); !os.IsNotExist(err) {
			t.Fatal(err)
		}
		lines := slices.Collect(strings.Lines(string(first)))
		for _, tt := range []struct {
			text  string
			whole bool
		}{
			{"", true},
			{string(first), true},
			{strings.Join(lines[4:], ""), true},
			{strings.Join(lines[:7], ""), false},
			{strings.Join(append(slices.Clone(lines[:3]), lines[4:]...), ""), false},
			{strings.Join(lines[:7], "") + sealed(strings.Replace(lines[7], `"score":0`, `"score":9`, 1)), false},
		} {
			if err := os.WriteFile(files[0], []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if trail, err := evidence.Verify(dir, key, ""); err != nil || (len(trail.Faults) == 0) != tt.whole {
				t.Errorf("key %t, %d bytes of the first file: %+v, %v", key != nil, len(tt.text), trail, err)
			}
		}
	}
}

// TestRenamedFilesStay gives the first files of a trail names that make them look too old, and
// checks that a start does not remove them, which the head would say is as it must be.
func TestRenamedFilesStay(t *testing.T) {
	dir, key := t.TempDir(), bytes.Repeat([]byte{7}, 32)
	for i, name := range newTrail(t, dir, key)[:2] {
		if err := os.Rename(name, filepath.Join(dir, fmt.Sprintf("audit-1999010%dT000000.000000000Z.jsonl", i+1))); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(30 * 24 * time.Hour)
		if err := run(open(t, dir, &audit.Options{HashKey: key, MaxAge: 60 * 24 * time.Hour}))(); err != nil {
			t.Fatal(err)
		}
	})
	if trail, err := evidence.Verify(dir, key, ""); err != nil || len(trail.Faults) > 0 || trail.First != 1 {
		t.Errorf("%+v, %v; want all lines from the first one on", trail, err)
	}
}

// TestLongLine checks that a record is refused whose line could not be read again, since the
// trail could not be opened any more.
func TestLongLine(t *testing.T) {
	dir, s := t.TempDir(), newScreener(t)
	l := open(t, dir, nil)
	stop := run(l)
	long := newScreening(t, s, "1")
	long.Result.Labels = make([]screening.Label, 1<<17)
	for i := range long.Result.Labels {
		long.Result.Labels[i] = screening.Label{Kind: score.Scam, Source: "OUR_LIST", Ref: strconv.Itoa(i), Listed: listed}
	}
	if err := l.Record(t.Context(), long); err == nil {
		t.Error("the record is accepted")
	}
	if err := l.Record(t.Context(), newScreening(t, s, "2")); err != nil {
		t.Error(err)
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	open(t, dir, nil)
	intact(t, dir)
}
