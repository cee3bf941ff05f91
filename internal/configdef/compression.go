package configdef

import (
	"bytes"
	"reflect"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"
)

// compressionType asks kgo's compressor which codec it uses, by compressing
// nothing. The list given with ProducerBatchCompression does not say: a
// compressor given with WithCompressor wins over it, and kgo.DefaultCompressor
// makes one that looks like the client's own.
func compressionType() reader {
	return reader{text: func(v, _ *view) (string, bool) {
		codec, ok := usedCodec(v)
		if !ok {
			return "", false
		}
		switch codec {
		case kgo.CodecNone:
			return "none", true
		case kgo.CodecGzip:
			return "gzip", true
		case kgo.CodecSnappy:
			return "snappy", true
		case kgo.CodecLz4:
			return "lz4", true
		case kgo.CodecZstd:
			return "zstd", true
		default:
			return "", false
		}
	}}
}

// usedCodec returns the codec that record batches are compressed with, and
// false for a compressor of the application, which is not called: what it does
// is its own business.
func usedCodec(v *view) (kgo.CompressionCodecType, bool) {
	own, err := kgo.DefaultCompressor(kgo.SnappyCompression())
	if err != nil {
		return 0, false
	}
	a, ok := v.raw(kgo.WithCompressor)
	if !ok {
		return 0, false
	}
	if a == nil {
		return kgo.CodecNone, true
	}
	c, ok := a.(kgo.Compressor)
	if !ok {
		v.fail(faultShape)
		return 0, false
	}
	if reflect.TypeOf(c) != reflect.TypeOf(own) {
		return 0, false
	}
	var codec kgo.CompressionCodecType
	v.guard(func() { _, codec = c.Compress(new(bytes.Buffer), nil) })
	return codec, true
}

// gzipLevel reads the level of the gzip codec in the list of preferred ones, if
// there is one and the list is in use. kgo's levels for lz4 and zstd are on
// other scales than Kafka's, so those two keys cannot be told.
func gzipLevel() reader {
	text := func(v, _ *view) (string, bool) {
		list := get[[]kgo.CompressionCodec](v, kgo.ProducerBatchCompression)
		codec, ok := usedCodec(v)
		if !ok || len(list) == 0 || list[0].WithLevel(0) != baseCodec(codec) {
			return "", false
		}
		// The first one counts: kgo drops later ones of the same codec but
		// leaves them in the tail of the slice that it shows.
		gzip := baseCodec(kgo.CodecGzip)
		i := slices.IndexFunc(list, func(c kgo.CompressionCodec) bool { return c.WithLevel(0) == gzip })
		if i < 0 {
			return "", false
		}
		return gzipLevelText(list[i])
	}
	return reader{
		text: text,
		// The reference has no gzip to compare with.
		same: func(v, ref *view) bool {
			level, _ := text(v, ref)
			return level == gzipDefault
		},
	}
}

// baseCodec returns the codec of a type, its level erased.
func baseCodec(t kgo.CompressionCodecType) kgo.CompressionCodec {
	switch t {
	case kgo.CodecGzip:
		return kgo.GzipCompression().WithLevel(0)
	case kgo.CodecSnappy:
		return kgo.SnappyCompression().WithLevel(0)
	case kgo.CodecLz4:
		return kgo.Lz4Compression().WithLevel(0)
	case kgo.CodecZstd:
		return kgo.ZstdCompression().WithLevel(0)
	default:
		return kgo.NoCompression().WithLevel(0)
	}
}

// gzipLevelText finds the level of a codec by comparing, since kgo does not
// tell it. Kafka's levels are -1 (the default) and 1 to 9. kgo takes 0 and what
// gzip does not know as the default; -2 and -3 are special to its gzip library.
func gzipLevelText(c kgo.CompressionCodec) (string, bool) {
	for level := 1; level <= 9; level++ {
		if c == c.WithLevel(level) {
			return intText(int64(level)), true
		}
	}
	if c == c.WithLevel(-2) || c == c.WithLevel(-3) {
		return "", false
	}
	return gzipDefault, true
}

const gzipDefault = "-1"
