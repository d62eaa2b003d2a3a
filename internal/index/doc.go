// Package index is an immutable map from keys to sets of values. It answers from the
// bytes of a file as they are: a list of a hundred million accounts opens in a tenth of
// a millisecond and is shared by all processes that map it.
//
// [Builder] makes an [Index] of keys and values, and [Index.Lookup] looks an [ID] up. A
// key is a class and at most 32 bytes. A value is a number that means something to the
// caller; [Builder.Intern] numbers texts, which an Index holds beside the keys.
//
// The index is written by hand because Go has nothing like it. On two cores of an AMD EPYC a
// lookup that misses takes 0.7 of the time of a Go map with a million keys and 0.42 with
// ten million; building is faster than filling a presized map; and an entry
// takes 29 bytes, where a map[[20]byte]uint32 takes 45 to 56 and cannot be mapped: see
// BenchmarkLookup and BenchmarkBuild.
//
// # Layout
//
// An index is one sequence of bytes, the same in memory, in a file, and on all
// machines. Integers are little-endian. Sections begin at multiples of 64 bytes, in
// this order:
//
//	header    256 bytes
//	table     of keys of at most 20 bytes
//	  filters   8 bytes for each bucket, unless built without them
//	  buckets   32 bytes each, and one more
//	  records   24 bytes each
//	table     of keys of 21 to 32 bytes, likewise, with records of 36 bytes
//	sets      8 bytes each, and one more
//	values    4 bytes each
//	ends      4 bytes for each text, and 4 more
//	texts     concatenated
//
// The header, by offsets:
//
//	  0  "wsindex\n"
//	  8  version, 4 bytes: 1
//	 12  size of the header, 4 bytes: 256
//	 16  size of the index, 8 bytes, as are the following
//	 24  seed, four words
//	 56  keys of the first table; at 64: 1 if it has filters, else 0
//	 72  keys of the second table; at 80: 1 if it has filters, else 0
//	 88  sets; at 96: values
//	104  texts; at 112: bytes of the texts
//	120  digest of everything after the header, 32 bytes
//	152  zeros
//	224  SHA-256 of the 224 bytes before
//
// All counts are below 2^32, and a table of n keys has n/8 buckets, rounded up, at least
// one. So the header determines the place of each section.
//
// A record is the payload of a key, padded with zeros to 20 or 32 bytes, and the number
// of its set, 4 bytes. The class and the length of the key are in the set, because few
// kinds of keys share few sets; keys of another class or length have another set even if
// the values are equal. A key of 20 bytes takes 28 bytes: 24 for the record, and 32 for
// each bucket of 8 records on average. A filter adds one byte.
//
// The hash of a key, keyed with the seed, has 64 bits. Its upper 32 bits, multiplied by
// the number of buckets and divided by 2^32, are the number of the bucket; its lower 16
// bits are the fingerprint (1 instead of 0). Records are sorted by hash, then payload,
// length and class, so the records of a bucket are adjacent. A bucket holds the number
// of its first record, 4 bytes, and the fingerprints of its first 14 records, 2 bytes
// each, 0 for none. It ends where the next one begins; the additional bucket at the end
// holds only the number of records. No bucket has more than 64 records. A filter is a
// word of 64 bits; each key of the bucket sets four of them, which the lower 32 bits of
// its hash select.
//
// A set is a word of 4 bytes, with the class in the lower half and the length in the
// upper, and the number of its first value, 4 bytes. Its values are in ascending order
// and end where the values of the next set begin. Sets are distinct, and ordered by the
// first record that has them.
//
// # Lookup
//
// A lookup hashes the key and reads the filter, if there is one, and the bucket: one or
// two words of memory decide all but one of several thousand misses. It reads a record
// only if the fingerprint is equal, or if the bucket has more records than fingerprints
// (one bucket in 30). It compares the whole key, so a hit is certain.
//
// Several small indexes can share a [Filter]: one word of memory decides a miss in all
// of them.
//
// An Index is never written, so there is no lock. It has no pointers, so the garbage
// collector has nothing to scan; and beyond some size it is not on the heap but mapped.
// The garbage collector unmaps an unreachable Index, so no method returns a slice of its
// bytes.
//
// # Determinism and attacks
//
// The same keys, values and texts give the same bytes. So the seed must follow from
// them, too: it is the SHA-512 of a sum over all keys and values that does not depend on
// their order or repetition. Anybody can write to a community list, and an attacker could
// search for accounts that fall into one bucket under the seed to come. Therefore, if a
// bucket gets more than 64 records, the next seed is tried: the hash of the same sum and a
// counter. Accounts that share a bucket under one seed are easy to find; under two seeds
// at once the search takes longer by a factor of the number of buckets, and so on. Build
// gives up after 64 seeds.
//
// # Building
//
// A Builder keeps the items off the heap, 28 or 40 bytes an item. It divides them by the
// upper bits of their hashes into parts that fit into the cache of a processor, and sorts
// each part. Then it drops repetitions, numbers the sets, and writes the index. So building
// takes at most the memory of two indexes. If an item was there twice, the seed is another
// one, and the items are sorted again; likewise after an overfull bucket.
//
// # What is checked when
//
// [Open] and [Load] check the header, which has its own SHA-256 checksum, the size
// of each section, and that buckets, sets and texts begin and end with their sections.
// That takes the same time for any size.
//
// Each lookup checks every number before it uses it. So a damaged or malicious file
// causes no read outside the file, no panic, no loop of more than 64 records, and no hit for
// a key that is not in a record. If a lookup finds something that no Builder writes, such
// as a set that does not exist, it reports a hit for which [Index.AppendValues] returns
// an error, never a miss.
//
// A damaged fingerprint can still turn a hit into a miss. [Index.Verify] finds that and
// everything else: it compares the CRC-32C checksums of all blocks of 1 MiB with their
// SHA-256 digest in the header, and then checks each bucket, filter and record. Verify a
// file from elsewhere once. Neither checksum proves the origin of a file.
package index
