package main

// fence waits until all before it is done, so that a look-up cannot overlap the
// previous one, as in a loop it would and in a lone request it cannot.
func fence()
