package list

import "time"

var day = time.Date(2022, 4, 14, 0, 0, 0, 0, time.UTC)
