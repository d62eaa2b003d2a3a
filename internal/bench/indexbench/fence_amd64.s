#include "textflag.h"

// func fence()
TEXT ·fence(SB), NOSPLIT, $0-0
	LFENCE
	RET
