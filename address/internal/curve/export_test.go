package curve

// The functions that the tests compare with math/big.
var (
	Jacobi  = jacobi
	Ed25519 = ed25519
	Pallas  = pallas
)

// Order returns the order of f.
func (f *field) Order() [4]uint64 { return f.order }

// IsSquare, Mul and Add are the methods without capitals.
func (f *field) IsSquare(x *[4]uint64) bool    { return f.isSquare(x) }
func (f *field) Mul(x, y *[4]uint64) [4]uint64 { return f.mul(x, y) }
func (f *field) Add(x, y *[4]uint64) [4]uint64 { return f.add(x, y) }
