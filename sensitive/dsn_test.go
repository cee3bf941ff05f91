package sensitive_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/kcfg-go/kcfg/sensitive"
)

func TestADataSourceNameWithAPasswordIsHeldBack(t *testing.T) {
	for value, want := range map[string]sensitive.Reason{
		"root:s3cret@tcp(db:3306)/x": sensitive.ReasonValue,
		"user:pw@host:5432":          sensitive.ReasonValue,
		"user:pw@db.internal/orders": sensitive.ReasonValue,
		"a,b,user:pw@host:5432":      sensitive.ReasonValue,
		"user%3Apw%40host%3A5432":    sensitive.ReasonValue,
		"svc@example":                sensitive.NotSensitive,
		"svc@example:9092":           sensitive.NotSensitive,
		"User:alice@EXAMPLE.ORG":     sensitive.NotSensitive,
		"mailto:svc@example.org":     sensitive.NotSensitive,
		"12:30@office":               sensitive.NotSensitive,
		":pw@host:1":                 sensitive.NotSensitive,
		"user:@host:1":               sensitive.NotSensitive,
		"host-a:9092,host-b:9092":    sensitive.NotSensitive,
		"user:pw@":                   sensitive.NotSensitive,
		"user:pw@host:port":          sensitive.NotSensitive,
	} {
		assert.Equal(t, want, sensitive.CheckValue(value), "%q", value)
	}
}
