package screening_test

import (
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
)

// TestAnswerWire checks that each field of a label, and of what else an answer has, is written
// and read again, so that a new one reaches each surface that writes an Answer.
func TestAnswerWire(t *testing.T) {
	var a screening.Answer
	fill(t, reflect.ValueOf(&a).Elem())
	text, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	var got screening.Answer
	if err := json.Unmarshal(text, &got); err != nil || !reflect.DeepEqual(got, a) {
		t.Errorf("%s is read as %+v, %v; want %+v", text, got, err, a)
	}
	empty, err := json.Marshal(screening.Label{})
	if want := `{"label":"","source":"","source_ref":"","added_at":null,"match":"","listed_address":""}`; string(empty) != want || err != nil {
		t.Errorf("the zero label is %s, %v; want %s", empty, err, want)
	}
}

// fill sets the fields of v that are in its JSON to something.
func fill(t *testing.T, v reflect.Value) {
	switch x := v.Addr().Interface().(type) {
	case *time.Time:
		*x = time.Date(2026, 11, 21, 9, 30, 0, 0, time.UTC)
		return
	case *score.Match:
		*x = score.Key
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Int:
		v.SetInt(7)
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(t, v.Index(0))
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.Tag.Get("json") == "-" {
				continue
			} else if f.Tag.Get("json") == "" && !f.Anonymous {
				t.Errorf("%v.%s has no name in JSON", v.Type(), f.Name)
			}
			fill(t, v.Field(i))
		}
	default:
		t.Fatalf("cannot fill a %v", v.Type())
	}
}
