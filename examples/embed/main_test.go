package main

func Example() {
	main()
	// Output:
	// polygon:0x098b716b8aaf21512996dc57eb0615e2383e2f96 100 CRITICAL
	// SANCTIONED family OFAC_SDN 27307 Lazarus Group
}
