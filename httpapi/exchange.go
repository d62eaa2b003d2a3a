package httpapi

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"regexp"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/walletscreen/walletscreen/screening"
)

// A service holds what all exchanges of a handler share.
type service struct {
	Options    // with the defaults filled in
	screener   *screening.Screener
	authorizer Authorizer
	lines      limits // of the log, by the code of the problem
	clients    limits // requests that are not admitted, by the address of the client
	changeLog  changeLog
	pasts      pasts
	answers    answers

	most        int64         // maxConcurrent, but in tests
	maxBody     int64         // the limits of a body, but in tests
	bodyTimeout time.Duration // on a server without a ReadTimeout

	lastSnapshot atomic.Pointer[snapshotText]

	turns     turns         // see takeTurn
	batches   turns         // of batches that are screened and not answered
	shares    [shares]turns // the places of one caller among them: they may wait for the Meter
	running   atomic.Int64  // admitted requests that are being processed
	waiting   atomic.Int64  // the running requests that are batches
	exchanges sync.Pool     // of *exchange, for reuse
}

const (
	maxConcurrent = 1024
	maxBody       = 16 << 10 // of a batch, it is maxBatchBody
	bodyTimeout   = 10 * time.Second
)

// newService returns the service for a handler.
func newService(s *screening.Screener, auth Authorizer, opts *Options) *service {
	if opts == nil {
		opts = &Options{}
	}
	v := &service{Options: *opts, screener: s, authorizer: auth, most: maxConcurrent, maxBody: maxBody, bodyTimeout: bodyTimeout,
		turns: make(turns, max(1, runtime.GOMAXPROCS(0)/2))}
	v.batches = make(turns, maxBatches+cap(v.turns))
	for i := range v.shares {
		v.shares[i] = make(turns, maxOfCaller+cap(v.turns))
	}
	v.answers.most, v.answers.mostEach = maxUnread, maxUnreadEach
	v.changeLog.turn = make(turns, 1)
	v.pasts.turn = make(turns, 1)
	if v.authorizer == nil {
		v.authorizer = nobody{}
	}
	if v.Logger == nil {
		v.Logger = slog.New(slog.DiscardHandler)
	}
	return v
}

// nobody is an Authorizer that admits no request.
type nobody struct{}

func (nobody) Authorize(r *http.Request) (Caller, error) {
	if len(r.Header["Authorization"]) == 0 {
		return Caller{}, ErrNoCredentials
	}
	return Caller{}, ErrUnauthorized
}

// An exchange is one request and the response to it.
type exchange struct {
	*http.Request
	*service
	w      http.ResponseWriter
	route  *route
	start  time.Time // when the request came
	sendBy time.Time // after it, nothing more is computed or recorded: the answer could hardly be sent
	id     string    // of the request
	now    time.Time // when the request was admitted, later when it was screened
	asOf   time.Time // of the lists that answer; zero for the current lists
	caller Caller    // the zero Caller until the request is admitted

	slot    bool // counted in running
	waits   bool // counted in waiting, too
	held    int  // bytes of the answer that are counted in answers
	charged int  // screenings that the Meter has granted
	refund  func(int)

	fields    object       // of the body
	screened  []Screening  // for Audit and Observe
	one       [1]Screening // the memory of screened, unless it is a batch
	unchanged bool         // the client has the answer already
	media     string       // the type of the answer, or "" for JSON
	shared    []byte       // the end of the body of the answer, after what the endpoint returned
	answer    result       // of a screening
	buf       bytes.Buffer // for the body of the request, then for the body of the answer
	values    []string     // values of header fields, in one piece
}

// Sizes up to which a buffer and a map are kept for other exchanges.
const (
	maxKept       = 64 << 10
	maxKeptFields = 8
)

// never is longer than any request takes.
const never = 100 * 365 * 24 * time.Hour

// begin returns a new exchange.
func (v *service) begin(w http.ResponseWriter, r *http.Request, rt *route) *exchange {
	e, _ := v.exchanges.Get().(*exchange)
	if e == nil {
		e = new(exchange)
	}
	// The header refers to the values for as long as anyone reads it.
	e.Request, e.service, e.w, e.route, e.values, e.start = r, v, w, rt, make([]string, 0, 3), time.Now()
	e.sendBy = e.start.Add(never)
	if ids := r.Header["X-Request-Id"]; len(ids) == 1 && mayEcho(ids[0]) {
		e.id = ids[0]
	} else {
		var id [16]byte // unique, not secret
		binary.LittleEndian.PutUint64(id[:], rand.Uint64())
		binary.LittleEndian.PutUint64(id[8:], rand.Uint64())
		e.id = string(hex.AppendEncode(make([]byte, 0, 32), id[:]))
	}
	return e
}

// Forms of the request ids that are echoed. No address, key or seed has one of them.
var (
	// A UUID, a ULID, a trace id or an id of begin, and a traceparent.
	longID = regexp.MustCompile(`^([[:xdigit:]]{8}(-[[:xdigit:]]{4}){3}-[[:xdigit:]]{12}|[0-9A-Z]{26}|[[:xdigit:]]{32}|[[:xdigit:]]{2}-[[:xdigit:]]{32}-[[:xdigit:]]{16}-[[:xdigit:]]{2})$`)
	// A number, or a word, a dash and a number: without a dash they may be an account of EOS.
	shortID = regexp.MustCompile(`^([a-z]+-)?[0-9]+$`)
)

// maxShortID is the greatest length of a shortID.
const maxShortID = 20

// mayEcho reports whether an X-Request-Id has a form that is echoed. The id is not searched.
func mayEcho(id string) bool {
	return len(id) <= maxShortID && shortID.MatchString(id) || longID.MatchString(id)
}

// setHeader sets a field of the response, whose name is in canonical form, without
// an allocation for each value.
func (e *exchange) setHeader(name, value string) {
	e.values = append(e.values, value)
	n := len(e.values)
	e.w.Header()[name] = e.values[n-1 : n : n]
}
