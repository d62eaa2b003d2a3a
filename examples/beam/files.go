package main

import (
	"bufio"
	"context"
	"fmt"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/fileio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/textio"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

func init() {
	register.DoFn3x1[context.Context, fileio.ReadableFile, func(string), error](&gzipFn{})
	register.Emitter1[string]()
}

// lines returns the lines of the files that glob names.
//
// textio reads files in parts, on several workers. It must not read compressed
// ones: it compares the length of the text with the size of the file, and stops
// early without an error (Beam 2.77). Those are read whole, each by one worker.
func lines(s beam.Scope, glob string, compressed bool) beam.PCollection {
	if !compressed {
		return textio.Read(s, glob, textio.ReadUncompressed())
	}
	return beam.ParDo(s, &gzipFn{}, fileio.ReadMatches(s, fileio.MatchFiles(s, glob), fileio.ReadGzip()))
}

// A gzipFn emits the lines of a compressed file.
type gzipFn struct{}

func (*gzipFn) ProcessElement(ctx context.Context, file fileio.ReadableFile, emit func(string)) error {
	return scan(ctx, file, func(line string) bool { emit(line); return true })
}

// maxLine is the length of the longest line of a compressed file, and of a
// header.
const maxLine = 1 << 20

// scan calls each for the lines of a file until it returns false.
func scan(ctx context.Context, file fileio.ReadableFile, each func(string) bool) error {
	r, err := file.Open(ctx)
	if err != nil {
		return fmt.Errorf("%s: %w", file.Metadata.Path, err)
	}
	defer r.Close()
	all := bufio.NewScanner(r)
	all.Buffer(nil, maxLine)
	for all.Scan() {
		if !each(all.Text()) {
			return nil
		}
	}
	if err := all.Err(); err != nil {
		return fmt.Errorf("%s: %w", file.Metadata.Path, err)
	}
	return nil
}

// files returns the names of the files that glob names, at least one.
func files(ctx context.Context, glob string) ([]string, error) {
	fs, err := filesystem.New(ctx, glob)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	names, err := fs.List(ctx, glob)
	if err == nil && len(names) == 0 {
		err = fmt.Errorf("no file is named %s", glob)
	}
	return names, err
}

// firstLine returns the first line of a file, which is compressed if its name ends in .gz. An empty file has an
// empty line.
func firstLine(ctx context.Context, name string) (first string, err error) {
	err = scan(ctx, fileio.ReadableFile{Metadata: fileio.FileMetadata{Path: name}}, func(line string) bool { first = line; return false })
	return strings.TrimRight(first, "\r"), err
}
