package curve

// What the tests hold apart from what they export: the ways to the answer.
var (
	Jacobi          = jacobi
	Order           = order
	IsSquare        = isSquare
	IsSquareByEuler = isSquareByEuler
	Mul             = mul
	Add             = add
)
