package configdef

import (
	"bytes"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/twmb/franz-go/pkg/kgo"
)

// ownCompressor is one of the application.
type ownCompressor struct{}

func (ownCompressor) Compress(*bytes.Buffer, []byte, ...kgo.CompressFlag) ([]byte, kgo.CompressionCodecType) {
	panic("called")
}

func compressionCases() []readCase {
	const typ, level = "compression.type", "compression.gzip.level"

	preferring := func(codecs ...kgo.CompressionCodec) []kgo.Opt {
		return []kgo.Opt{kgo.ProducerBatchCompression(codecs...)}
	}
	gzip, none := kgo.GzipCompression(), kgo.NoCompression()

	cases := []readCase{
		{name: "default compression", want: map[string]string{typ: "snappy" + isDefault, level: absent}},
		{name: "snappy", opts: preferring(kgo.SnappyCompression()), want: map[string]string{typ: "snappy" + isDefault}},
		{name: "none", opts: preferring(none), want: map[string]string{typ: "none", level: absent}},
		{name: "no codec at all", opts: preferring(), want: map[string]string{typ: "none", level: absent}},
		{name: "lz4", opts: preferring(kgo.Lz4Compression()), want: map[string]string{typ: "lz4", level: absent}},
		{name: "lz4 with a level", opts: preferring(kgo.Lz4Compression().WithLevel(512)), want: map[string]string{typ: "lz4", level: absent}},
		{name: "zstd", opts: preferring(kgo.ZstdCompression()), want: map[string]string{typ: "zstd", level: absent}},
		{name: "zstd with a level", opts: preferring(kgo.ZstdCompression().WithLevel(4)), want: map[string]string{typ: "zstd", level: absent}},
		{name: "gzip", opts: preferring(gzip), want: map[string]string{typ: "gzip", level: "-1" + isDefault}},
		{name: "the first codec counts", opts: preferring(kgo.Lz4Compression(), none), want: map[string]string{typ: "lz4", level: absent}},
		{name: "gzip as the second choice", opts: preferring(kgo.ZstdCompression(), gzip.WithLevel(7)), want: map[string]string{typ: "zstd", level: "7"}},
		{name: "gzip that no batch gets", opts: preferring(none, gzip.WithLevel(7)), want: map[string]string{typ: "none", level: "7"}},
		{name: "the first gzip counts", opts: preferring(gzip.WithLevel(9), gzip, none), want: map[string]string{typ: "gzip", level: "9"}},
		{name: "a level that gzip does not know is its default", opts: preferring(gzip.WithLevel(77)), want: map[string]string{level: "-1" + isDefault}},
		{
			name: "a compressor of the application is not called",
			opts: []kgo.Opt{kgo.WithCompressor(ownCompressor{})},
			want: map[string]string{typ: absent, level: absent},
		},
		{
			name: "a compressor of the application wins over the list",
			opts: append(preferring(gzip), kgo.WithCompressor(ownCompressor{})),
			want: map[string]string{typ: absent, level: absent},
		},
		{
			name: "no compressor leaves the list",
			opts: append(preferring(gzip), kgo.WithCompressor(nil)),
			want: map[string]string{typ: "gzip", level: "-1" + isDefault},
		},
	}
	for l := -3; l <= 9; l++ {
		c := readCase{
			name: "gzip level " + strconv.Itoa(l), opts: preferring(gzip.WithLevel(l)),
			want: map[string]string{typ: "gzip", level: strconv.Itoa(l)},
		}
		switch l {
		case -3, -2: // special to kgo's gzip library
			c.want[level] = absent
		case -1, 0: // the default, in gzip and in kgo
			c.want[level] = "-1" + isDefault
		}
		cases = append(cases, c)
	}
	// One of kgo's own, given by hand: the list says snappy all the same.
	for name, codec := range map[string]kgo.CompressionCodec{
		"gzip": gzip.WithLevel(5), "lz4": kgo.Lz4Compression(), "zstd": kgo.ZstdCompression(),
	} {
		own, err := kgo.DefaultCompressor(codec)
		if err != nil {
			panic(err)
		}
		cases = append(cases, readCase{
			name: "a default compressor for " + name, opts: []kgo.Opt{kgo.WithCompressor(own)},
			want: map[string]string{typ: name, level: absent},
		}, readCase{
			name: "a default compressor for " + name + " and a list of gzip second",
			opts: append(preferring(kgo.SnappyCompression(), gzip.WithLevel(2)), kgo.WithCompressor(own)),
			want: map[string]string{typ: name, level: absent},
		})
	}
	for i := range cases {
		cases[i].kind = producer
	}
	return cases
}

// What is read for compression.type must be what a batch is compressed with.
func TestCompressionTypeIsTheCodecOfABatch(t *testing.T) {
	batch := bytes.Repeat([]byte("kafka "), 1000)
	for name, codecs := range map[string][]kgo.CompressionCodec{
		"gzip":   {kgo.GzipCompression().WithLevel(3), kgo.NoCompression()},
		"snappy": {kgo.SnappyCompression()},
		"lz4":    {kgo.Lz4Compression(), kgo.GzipCompression()},
		"zstd":   {kgo.ZstdCompression(), kgo.SnappyCompression()},
	} {
		cl := newClient(t, kgo.ProducerBatchCompression(codecs...))
		e, ok := NewSource(cl).Read("compression.type", producer)
		assert.True(t, ok, name)
		assert.Equal(t, name, e.Value)

		_, used := cl.OptValue(kgo.WithCompressor).(kgo.Compressor).Compress(new(bytes.Buffer), batch)
		assert.Equal(t, baseCodec(used), codecs[0].WithLevel(0), name)
	}
}
