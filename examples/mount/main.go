// Mount shows the handler of httpapi in an application that has a router already:
// the mux of the standard library, chi, gin or echo. It is a module of its own, so
// that nobody who imports walletscreen gets to know them.
//
//	go run . -router gin
//
// Under each of them, the endpoints are to be found below /compliance.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net/http"
	"os"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
	"github.com/labstack/echo/v4"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/screening"
	"github.com/walletscreen/walletscreen/sources/bundle"
)

// withMux mounts h beside the routes of a mux. No prefix needs to be taken off:
// the handler knows a request by the end of its path.
func withMux(h http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/hello", hello)
	mux.Handle("/compliance/", h)
	return mux
}

// withStripPrefix is for who takes prefixes off all the same. The paths that
// problems name lack it then.
func withStripPrefix(h http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/hello", hello)
	mux.Handle("/compliance/", http.StripPrefix("/compliance", h))
	return mux
}

// withEndpoints routes each endpoint by itself. The patterns name no methods: for
// those that it has not, an endpoint answers as the interface says.
func withEndpoints(endpoints map[string]http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/hello", hello)
	for path, endpoint := range endpoints {
		mux.Handle("/compliance"+path, endpoint)
	}
	return mux
}

func withChi(h http.Handler) http.Handler {
	r := chi.NewRouter()
	r.HandleFunc("/hello", hello)
	r.Mount("/compliance", h)
	return r
}

func withGin(h http.Handler) http.Handler {
	r := gin.New()
	r.Any("/hello", gin.WrapF(hello))
	r.Any("/compliance/*path", gin.WrapH(h))
	return r
}

func withEcho(h http.Handler) http.Handler {
	e := echo.New()
	e.Any("/hello", echo.WrapHandler(http.HandlerFunc(hello)))
	e.Any("/compliance/*", echo.WrapHandler(h))
	return e
}

// hello is what the application does besides.
func hello(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "Hello.") }

// newRouter returns the application with the router of a name, or nil.
func newRouter(name string, s *screening.Screener, keys httpapi.Authorizer) http.Handler {
	switch name {
	case "mux":
		return withMux(httpapi.NewHandler(s, keys, nil))
	case "stripprefix":
		return withStripPrefix(httpapi.NewHandler(s, keys, nil))
	case "endpoints":
		return withEndpoints(httpapi.NewEndpoints(s, keys, nil))
	case "chi":
		return withChi(httpapi.NewHandler(s, keys, nil))
	case "gin":
		return withGin(httpapi.NewHandler(s, keys, nil))
	case "echo":
		return withEcho(httpapi.NewHandler(s, keys, nil))
	}
	return nil
}

func main() {
	gin.SetMode(gin.ReleaseMode)
	router := flag.String("router", "mux", "mux, stripprefix, endpoints, chi, gin or echo")
	addr := flag.String("addr", "127.0.0.1:8080", "address to listen on")
	flag.Parse()

	s, err := screening.New(bundle.All(), &screening.Options{Optional: bundle.Optional()})
	if err != nil {
		log.Fatal(err)
	}
	if _, err := s.Refresh(context.Background()); err != nil {
		log.Fatal(err)
	}
	const key = "wsk_only-for-this-example"
	keys, err := access.Fixed(map[string]string{"example": key})
	if err != nil {
		log.Fatal(err)
	}
	h := newRouter(*router, s, keys)
	if h == nil {
		log.Fatalf("no such router: %s", *router)
	}
	fmt.Fprintf(os.Stderr, "curl -H 'Authorization: Bearer %s' http://%s/compliance/api/v1/sources\n", key, *addr)
	server := &http.Server{
		Addr: *addr, Handler: h, MaxHeaderBytes: 16 << 10,
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 15 * time.Second, IdleTimeout: time.Minute,
	}
	log.Fatal(server.ListenAndServe())
}
