package curve

// The functions that the tests compare with each other.
var (
	Jacobi          = jacobi
	Order           = order
	IsEdwardsSquare = isSquare
	IsSquareByEuler = isSquareByEuler
	Mul             = mul
	Add             = add
)
