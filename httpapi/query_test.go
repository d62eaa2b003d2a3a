package httpapi_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/walletscreen/walletscreen/httpapi"
)

func TestInQuery(t *testing.T) {
	for _, query := range []string{
		"api_key=x", "API_KEY=x", "apikey=", "api-key=x", "access_token=x", "a=b&token=x", "a=b;token=x", "key=x", "auth=x", "Authorization=Bearer%20x",
		"%61pi_key=x", "x-api-key=x", "bearer=x", "secret=x", "key", "a=wsk_x", "a=WSK_X", "wsk_x", "wsk%5Fx=1", "a=%77sk_b", "a=1&b=%zzwsk_c", "access%5Ftoken=x",
		"api.key=x", "api_key[]=x", "api_key%5B%5D=x", "x+api+key=x",
	} {
		if !httpapi.InQuery(query) {
			t.Errorf("%q is taken for harmless", query)
		}
	}
	for _, query := range []string{"", "active=false", "a", "a=b&c=d", "monkey=x", "keys=x", "tokens=x", "page=2;size=3", "%zz=%zz", "=x", "&&", "a=wsk",
		"author=x", "é=x", "kéy=x"} {
		if httpapi.InQuery(query) {
			t.Errorf("%q is taken for a key", query)
		}
	}
	for _, token := range []string{"wsk_a_" + strings.Repeat("A", 52), testKey} {
		if !httpapi.InQuery("q=" + url.QueryEscape(token)) {
			t.Errorf("%s is not known for a key", token)
		}
	}
}
