package revision

var SealOf = sealOf
