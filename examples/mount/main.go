// Mount shows the handler of httpapi in an application that has a router already:
// the mux of the standard library, chi, gin or echo. It is a nested module, so programs
// that import walletscreen do not require these routers.
//
//	cd examples/mount && go run . -router gin
//
// Each router serves the endpoints below /compliance.
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

// prefix is the path below which the API is. The handler gets it as an option, so that all
// other paths are 404.
const prefix = "/compliance"

// hello stands for the other handlers of the application.
func hello(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "Hello.") }

// newRouter returns the application with the named router, or nil if there is none.
func newRouter(name string, s *screening.Screener, keys httpapi.Authorizer, opts httpapi.Options) http.Handler {
	opts.Prefix = prefix
	h := httpapi.NewHandler(s, keys, &opts)
	mux := http.NewServeMux()
	mux.HandleFunc("/hello", hello)
	switch name {
	case "mux": // there is no prefix to strip
		mux.Handle(prefix+"/", h)
	case "stripprefix": // works as well
		opts.Prefix = "/"
		mux.Handle(prefix+"/", http.StripPrefix(prefix, httpapi.NewHandler(s, keys, &opts)))
	case "endpoints": // each by itself, without a method, because an endpoint answers a wrong method with a problem
		for path, endpoint := range httpapi.NewEndpoints(s, keys, &opts) {
			mux.Handle(prefix+path, endpoint)
		}
	case "chi":
		r := chi.NewRouter()
		r.HandleFunc("/hello", hello)
		r.Mount(prefix, h)
		return r
	case "gin":
		r := gin.New()
		r.Any("/hello", gin.WrapF(hello))
		r.Any(prefix+"/*path", gin.WrapH(h))
		return r
	case "echo":
		e := echo.New()
		e.Any("/hello", echo.WrapHandler(http.HandlerFunc(hello)))
		e.Any(prefix+"/*", echo.WrapHandler(h))
		return e
	default:
		return nil
	}
	return mux
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
	h := newRouter(*router, s, keys, httpapi.Options{})
	if h == nil {
		log.Fatalf("no such router: %s", *router)
	}
	fmt.Fprintf(os.Stderr, "curl -H 'Authorization: Bearer %s' http://%s%s/api/v1/sources\n", key, *addr, prefix)
	server := &http.Server{
		Addr: *addr, Handler: h, MaxHeaderBytes: 16 << 10,
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 15 * time.Second, IdleTimeout: time.Minute,
	}
	log.Fatal(server.ListenAndServe())
}
