package access_test

import (
	"testing"

	"github.com/walletscreen/walletscreen/httpapi/access"
	"github.com/walletscreen/walletscreen/httpapi/access/storetest"
)

func TestMemory(t *testing.T) {
	storetest.Run(t, func(*testing.T) access.Store { return access.NewMemory() })
}
