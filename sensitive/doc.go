// Package sensitive decides which configurations may leave the process.
//
// A client that pushes its configuration (KIP-1324) tells a cluster, and
// whoever may read there, what it was started with. This package is the one
// gate on that way: [Filter] is the only function that makes a [Clean] entry,
// and what writes a push takes nothing else.
//
// It can be used on its own, above all in an application's unit tests, to
// answer "does my configuration leave the process?":
//
//	if r := sensitive.Check("orders.api.key", sensitive.String); r == sensitive.NotSensitive {
//		t.Error("the key would be pushed")
//	}
//
// [Check] judges a key and its type, [CheckValue] a value, [Filter] both for
// many entries. [Secret] is for the other direction: a value that the
// application must hold but that nothing may print.
//
// # The rules
//
// From KIP-1324, the union of both of its drafts. Names are compared with
// Unicode simple case folding, as [strings.EqualFold] does:
//
//   - the key starts with sasl. security. or ssl. ([ReasonPrefix])
//   - the key contains .sasl. .security. or .ssl. ([ReasonInfix])
//   - the key ends in .class or .classes ([ReasonSuffix])
//   - the type is PASSWORD or CLASS ([ReasonType])
//   - the key is custom: the table of Kafka's keys has no type for it, so its
//     type is [Unknown] ([ReasonCustom]). An application that names such a key
//     itself gives its type, and then every other rule decides.
//
// Ours, on top of the proposal:
//
//   - the type is none that Kafka has a number for on the wire ([ReasonType])
//   - the key is empty, or not printable ASCII without spaces
//     ([ReasonCharacters]), so that no look-alike letter gets past a name rule
//   - the key has a word for a secret in it ([ReasonWord])
//   - the value looks like a credential ([ReasonValue])
//   - the key or the value has more than 32,767 bytes, which Kafka cannot
//     write ([ReasonTooLong])
//   - the value is not valid UTF-8 ([ReasonEncoding])
//
// Where several apply, the first in the order of the constants is given, those
// of the key before those of the value.
//
// # Words
//
// A key is split at everything that is not a letter, and where camel case
// starts a new word: db.password, db_password2, dbPassword and DBPassword all
// have the word password.
//
//   - token, key and auth are found as a whole word, so that tokenizer.name,
//     monkey and authors pass; token also at the end of one (accesstoken)
//   - password, passwd, passphrase, pwd, secret, apikey, privatekey, accesskey,
//     encryptionkey, basicauth, credential, credentials, jwt and userinfo are
//     found anywhere between two non-letters (DBPASSWORD,
//     clientsecret), as no ordinary word has them in it
//   - user is found where info follows it (user.info, dbUser_info)
//
// # Values
//
// These look like a credential, also when percent-encoded:
//
//   - a URL with userinfo, scheme://user@host, with or without a password,
//     anywhere in the text, and user:password@host without a scheme where a
//     port, a path or an address in brackets follows
//   - a PEM header, plain or in base64
//   - a Bearer or Basic credential at the start of the value or of an element
//     of it (elements end at a comma, a semicolon or a line break)
//   - a JSON web token
//   - a name for a secret with something assigned to it, as in a JAAS
//     configuration or a connection string: password="x", client_secret: x,
//     SharedAccessKey=x. A number after name: is taken as a host's port.
//
// # What it will not do
//
// There is no way around it: no option, no environment variable, no list of
// exceptions. It cannot recognize a secret under an innocent name with an
// innocent value; nobody can. Do not name such a key to a push. It looks at
// each entry alone, and does not know what a key means to the application.
//
// # Errors
//
// There are none, only reasons. A reason, a [Held] entry, and everything that
// is printed or logged carries keys but never a value.
package sensitive
