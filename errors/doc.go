// Package errors holds the errors of kcfg. It is always imported as cfgerrors,
// since its name is that of the standard library's:
//
//	import cfgerrors "github.com/kcfg-go/kcfg/errors"
//
// # What can go wrong
//
//   - ErrUnsupported: no broker of the cluster speaks the RPC. It wraps the
//     standard library's errors.ErrUnsupported. Nothing is to be done: the
//     library stays silent and the client works as without it.
//   - ErrClosed: the client was closed, or its context ended, before the call
//     was done.
//   - ErrNotInstrumented: the *kgo.Client was not made by client.New nor with
//     Plugin.Opts, so it cannot send these RPCs.
//   - *ConfigTooLargeError (CONFIG_TOO_LARGE), *InvalidConfigError
//     (INVALID_CONFIG), *PolicyViolationError (POLICY_VIOLATION),
//     *AuthorizationError and *IdentifierTooLargeError: what a broker answered.
//     The last one is also what a name gets that is too long to be sent, or longer
//     than KIP-1233 allows.
//   - *CodeError: any other error code of a broker. It unwraps to the *kerr.Error
//     of that code, so errors.Is(err, kerr.NotCoordinator) works.
//   - *ReadOnlyConfigError: an alteration of what cannot be altered.
//     ErrDuplicateResource: two of one resource in a call.
//
// An *AuthorizationError says which operation on which resource is missing, where
// that is known. *InvalidConfigError and *PolicyViolationError are also what is
// refused on this side, before anything is sent; their texts say so.
//
// Every error of a broker unwraps to the *kerr.Error of its code where Kafka has
// one. Match with errors.Is and errors.AsType, never by text, and ask Retriable
// whether the same request may succeed later.
//
// # What the texts hold
//
// A text never holds a configuration value. What a broker wrote in ErrorMessage
// is cut to 256 bytes and quoted, and every value that was sent with the request
// is replaced by [redacted] in it, whether it stands there as it was sent,
// without the spaces around it, or with escapes. A value of less than four bytes
// is replaced only where it is a word of its own. The broker's own words,
// unchecked and as long as they are, are behind the method Message of each type;
// do not log them. No verb of fmt and no logger prints them.
package errors
