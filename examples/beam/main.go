// Beam screens files of addresses with Apache Beam: on this machine, or on a
// cluster of Flink, Spark or Dataflow.
//
//	beam -in 'customers-*.csv' -out results
//	beam -lists gs://bucket/store -in 'gs://bucket/*.csv' -out gs://bucket/results -runner dataflow …
//
// It writes two files of JSON lines: hits.jsonl has the verdict of each address
// that is listed, errors.jsonl the rows that are undecided. See
// README.md, also for when not to use it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/textio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
)

// A job is what the flags say.
type job struct {
	lists   string
	require string
	maxAge  time.Duration
	in, out string
	rows    rows
	log     io.Writer // gets the lists that the job answers from
}

func main() {
	j := job{log: os.Stderr}
	j.flags(flag.CommandLine)
	flag.Parse()
	beam.Init()
	ctx := context.Background()
	counts, err := j.run(ctx)
	if err != nil {
		fmt.Fprintln(os.Stderr, "beam:", err)
		os.Exit(1)
	}
	fmt.Printf("%d rows: %d hits, %d undecided, %d clean\n", counts.rows, counts.hits, counts.invalid, counts.rows-counts.hits-counts.invalid)
}

// flags adds the flags of a job to the flags of Beam.
func (j *job) flags(f *flag.FlagSet) {
	f.StringVar(&j.lists, "lists", "", "`directory` of the lists, as walletscreen keeps them; may be on a file system of Beam's (default: the bundled lists)")
	f.StringVar(&j.require, "require", "", "`ids` of lists without which nothing is decided, separated by commas (default: OFAC_SDN, EU_CONSOLIDATED and all that are not bundled); your own lists in files are always required")
	f.DurationVar(&j.maxAge, "max-age", 0, "refuse lists that were last verified longer `ago`; 0 means any age")
	f.StringVar(&j.in, "in", "", "`files` to read, a glob; names that end in .gz are decompressed")
	f.StringVar(&j.out, "out", "", "`directory` for hits.jsonl and errors.jsonl")
	f.StringVar(&j.rows.Format, "format", "csv", "csv, jsonl, or text with one address a line")
	f.StringVar(&j.rows.AddressColumn, "address-column", "address", "`name` of the column or member with the address")
	f.StringVar(&j.rows.ChainColumn, "chain-column", "chain", "`name` of the column or member with the chain")
	f.StringVar(&j.rows.Chain, "chain", "", "the chain of all rows, instead of a column")
}

// counts are the committed counters of a job.
type counts struct{ rows, hits, invalid int64 }

// run runs the job with the runner of Beam's flags.
func (j job) run(ctx context.Context) (counts, error) {
	if j.in == "" || j.out == "" {
		return counts{}, errors.New("-in and -out are needed")
	}
	snap, err := latest(ctx, j.lists, strings.FieldsFunc(j.require, func(r rune) bool { return r == ',' }), j.maxAge)
	if j.log != nil {
		snap.print(j.log) // also the list that is too old
	}
	if err != nil {
		return counts{}, err
	}
	names, err := files(ctx, j.in)
	if err != nil {
		return counts{}, err
	}
	compressed := strings.HasSuffix(names[0], ".gz")
	for _, name := range names {
		if strings.HasSuffix(name, ".gz") != compressed {
			return counts{}, fmt.Errorf("%s and %s: files with and without .gz need two jobs", names[0], name)
		}
	}
	if err := j.rows.prepare(ctx, names[0]); err != nil {
		return counts{}, err
	}
	p, s := beam.NewPipelineWithRoot()
	hits, bad := Screen(s, snap, j.rows, lines(s, j.in, compressed))
	out := strings.TrimSuffix(j.out, "/")
	textio.Write(s, out+"/hits.jsonl", hits)
	textio.Write(s, out+"/errors.jsonl", bad)
	return execute(ctx, p)
}

// execute runs a pipeline and returns its counters. It returns the committed
// counters: the attempted counters count a bundle that is retried more than
// once.
func execute(ctx context.Context, p *beam.Pipeline) (c counts, err error) {
	result, err := beamx.RunWithMetrics(ctx, p)
	if err != nil {
		return c, err
	}
	for name, n := range map[string]*int64{"rows": &c.rows, "hits": &c.hits, "invalid": &c.invalid} {
		for _, r := range result.Metrics().Query(func(r beam.MetricResult) bool {
			return r.Namespace() == namespace && r.Name() == name
		}).Counters() {
			*n += r.Committed
		}
	}
	return c, nil
}
