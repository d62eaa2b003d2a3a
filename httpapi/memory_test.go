package httpapi_test

import (
	"testing"

	"github.com/walletscreen/walletscreen/httpapi"
	"github.com/walletscreen/walletscreen/httpapi/storetest"
)

func TestMemory(t *testing.T) {
	storetest.Run(t, func(*testing.T) httpapi.Store { return httpapi.NewMemory() })
}
