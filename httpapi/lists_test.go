package httpapi_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/walletscreen/walletscreen/address"
	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/score"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources"
)

// The facts of the entries under OFAC_SDN are from OFAC's SDN list of
// 2024-12-04, which is in the public domain. The others are made up.
var (
	ofac = sources.Static(sources.Info{ID: "OFAC_SDN", Name: "OFAC Specially Designated Nationals", Jurisdiction: sources.US},
		listed("ethereum", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96", "ETH", "27307", "Lazarus Group", date(2019, 9, 13)),
		listed("bitcoin", "12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h", "XBT", "25308", "YAN Xiaobing", date(2019, 8, 21)),
		listed("bitcoin-cash", "18M8bJWMzWHDBMxoLqjHHAffdRy4SrzkfB", "BCH", "30518", "Secondeye Solution", date(2021, 4, 15)),
		listed("tron", "TBHTJqAy4DhHhmT3dNceJYNRz4SdLofLre", "TRX", "43421", "Wang Yunhe", date(2024, 5, 28)),
		sources.Entry{
			Listed: "5be5543ff73456ab9f2d207887e2af87322c651ea1a873c5b25b7ffae456c320", Asset: "XMR",
			Kind: score.Sanctioned, Ref: "29585", Name: "KARASAVIDI Dmitrii", ListedAt: date(2020, 9, 16),
		})
	eu = sources.Static(sources.Info{ID: "EU_CONSOLIDATED", Name: "EU consolidated list", Jurisdiction: sources.EU},
		listed("ethereum", "0x1111111111111111111111111111111111111111", "", "EU.1.1", "", date(2025, 1, 2)))
	uk = sources.Static(sources.Info{ID: "UK_CONSOLIDATED", Name: "UK consolidated list", Jurisdiction: sources.UK},
		listed("ethereum", "0x1111111111111111111111111111111111111111", "", "UK0001", "", date(2025, 1, 3)))
	community = sources.Static(sources.Info{ID: "COMMUNITY_BADLIST", Name: "Community reports", Jurisdiction: sources.Community},
		sources.Entry{ // without a date: the date of the first load stands in
			Address: address.MustParse("ethereum", "0x098b716b8aaf21512996dc57eb0615e2383e2f96"),
			Kind:    score.StolenFunds, Ref: `a "quoted" <ref> & \ more`,
		},
		sources.Entry{
			Address: address.MustParse("ethereum", "0x2222222222222222222222222222222222222222"),
			Kind:    score.CommunityReport, ListedAt: time.Date(2025, 6, 1, 23, 59, 59, 999_000_000, time.FixedZone("", 2*3600)),
		})
)

// exceptions are the exceptions of the operator.
var exceptions = []screening.Exception{
	{
		Address: address.MustParse("polygon", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"), Source: "COMMUNITY_BADLIST",
		Reason: "a \"quoted\" <reason>", Author: "J. Doe", Expires: epoch.AddDate(100, 0, 0),
	},
	{Address: address.MustParse("bitcoin", "bc1qpa78qajm34ypqk6unwwn9tgxrc9evaez76c64s"), Reason: "licence 2026-17", Author: "J. Doe"},
	{
		Address: address.MustParse("bsc", "0x098B716B8Aaf21512996dC57EB0615e2383E2f96"), Source: "OFAC_SDN", Ref: "27307",
		Reason: "test", Author: "J. Doe", Created: epoch,
	},
}

func listed(c address.Chain, text, asset, ref, name string, at time.Time) sources.Entry {
	return sources.Entry{Address: address.MustParse(c, text), Listed: text, Asset: asset, Kind: score.Sanctioned, Ref: ref, Name: name, ListedAt: at}
}

func date(y int, m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, time.UTC) }

// A broken source always fails to load.
type broken struct{ sources.Source }

func (broken) Load(context.Context, sources.Revision, func(sources.Entry) error) (sources.Revision, error) {
	return sources.Revision{}, errors.New("broken")
}

// A skewed source reports a check time from a clock that is ahead.
type skewed struct{ sources.Source }

func (s skewed) Load(ctx context.Context, prev sources.Revision, add func(sources.Entry) error) (sources.Revision, error) {
	rev, err := s.Source.Load(ctx, prev, add)
	rev.Checked = time.Now().Add(time.Hour)
	return rev, err
}

// newScreener returns a Screener in the given state. It must be called in a synctest
// bubble. The states are:
//
//	loaded     all lists were loaded a little more than an hour ago
//	empty      no list has been loaded
//	stale      all lists were loaded 25 hours ago, and MaxAge is 24 hours
//	optional   the community list is optional, and was never loaded
//	required   the community list is required, and was never loaded
//	skewed     the community list was loaded by a clock that is an hour ahead
//	excepted   like loaded, with the first two exceptions
func newScreener(t testing.TB, state string) *screening.Screener {
	t.Helper()
	srcs, opts := []sources.Source{ofac, eu, uk, community}, &screening.Options{}
	wait := time.Hour + 1500*time.Millisecond
	switch state {
	case "loaded", "empty", "excepted":
	case "stale":
		opts.MaxAge, wait = 24*time.Hour, 25*time.Hour
	case "optional":
		opts.Optional = []string{"COMMUNITY_BADLIST"}
		srcs[3] = broken{community}
	case "required":
		srcs[3] = broken{community}
	case "skewed":
		srcs[3], wait = skewed{community}, 0
	default:
		t.Fatalf("no such state of the lists: %s", state)
	}
	s, err := screening.New(srcs, opts)
	if err != nil {
		t.Fatal(err)
	}
	if state == "empty" {
		return s
	}
	time.Sleep(time.Until(epoch))
	if _, err := s.Refresh(context.Background()); err != nil && state != "optional" && state != "required" {
		t.Fatal(err)
	}
	time.Sleep(wait)
	if state == "excepted" {
		if err := s.SetExceptions(context.Background(), exceptions[:2]); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// newLoadedScreener is like newScreener, but does not sleep, so it needs no
// bubble.
func newLoadedScreener(t testing.TB) *screening.Screener {
	t.Helper()
	s, err := screening.New([]sources.Source{ofac, eu, uk, community}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Refresh(context.Background()); err != nil {
		t.Fatal(err)
	}
	return s
}

// The keys of the tests.
const (
	testKey  = "wsk_TEST0TEST0TEST0TEST0"
	otherKey = "wsk_OTHER0OTHER0OTHER0TH"
)

// testKeys admits the two keys.
func testKeys(t testing.TB) httpapi.Authorizer {
	t.Helper()
	keys, err := access.Fixed(map[string]string{"plain": testKey, "other": otherKey})
	if err != nil {
		t.Fatal(err)
	}
	return keys
}
