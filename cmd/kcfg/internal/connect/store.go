package connect

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"software.sslmate.com/src/go-pkcs12"

	"github.com/kcfg-go/kcfg/sensitive"
)

// The types of stores.
const (
	typePEM    = "PEM"
	typePKCS12 = "PKCS12"
	typeJKS    = "JKS" // Kafka's default; Java reads PKCS12 under this name too
)

// tls returns the TLS that the file asks for.
func (p properties) tls() (*tls.Config, error) {
	cfg := newTLS()
	if err := p.tlsVersions(); err != nil {
		return nil, err
	}
	var err error
	if cfg.RootCAs, err = p.trusted(); err != nil {
		return nil, err
	}
	cert, err := p.certificate()
	if err != nil {
		return nil, err
	}
	if cert != nil {
		cfg.Certificates = []tls.Certificate{*cert}
	}
	algorithm, set := p[keyIdentification]
	switch {
	case set && algorithm.Reveal() == "":
		anyName(cfg)
	case set && !strings.EqualFold(algorithm.Reveal(), "https"):
		return nil, fmt.Errorf("%s: there are https and an empty one", keyIdentification)
	}
	return cfg, nil
}

// tlsVersions returns an error if other versions are asked for than TLS 1.2 and 1.3,
// which are Kafka's default too.
func (p properties) tlsVersions() error {
	if v := p.get(keyTLSProtocol); v != "" && v != "TLS" && v != "TLSv1.3" {
		return fmt.Errorf("%s: only TLSv1.3 is supported, which allows TLSv1.2 too", keyTLSProtocol)
	}
	if !p.has(keyTLSProtocols) {
		return nil
	}
	versions := seeds(p.get(keyTLSProtocols))
	slices.Sort(versions)
	if !slices.Equal(versions, []string{"TLSv1.2", "TLSv1.3"}) {
		return fmt.Errorf("%s: only TLSv1.2,TLSv1.3 is supported", keyTLSProtocols)
	}
	return nil
}

// trusted returns the trust store, nil for the system's.
func (p properties) trusted() (*x509.CertPool, error) {
	if p.has(keyTrustCertificates) {
		if kind := p.get(keyTrustType); !strings.EqualFold(kind, typePEM) {
			return nil, fmt.Errorf("%s needs %s=PEM", keyTrustCertificates, keyTrustType)
		}
		if p.has(keyTrustLocation) {
			return nil, fmt.Errorf("%s and %s exclude each other", keyTrustCertificates, keyTrustLocation)
		}
		pool, err := poolOf([]byte(p.get(keyTrustCertificates)))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", keyTrustCertificates, err)
		}
		return pool, nil
	}
	if !p.has(keyTrustLocation) {
		return nil, nil
	}
	pool, err := trustStore(p.get(keyTrustLocation), p.get(keyTrustType), p[keyTrustPassword])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", keyTrustLocation, err)
	}
	return pool, nil
}

func trustStore(path, kind string, password sensitive.Secret) (*x509.CertPool, error) {
	b, kind, err := readStore(path, kind)
	if err != nil {
		return nil, err
	}
	if kind == typePEM {
		pool, err := poolOf(b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return pool, nil
	}
	certs, err := pkcs12.DecodeTrustStore(b, password.Reveal())
	if err != nil {
		return nil, storeError(path, keyTrustPassword, err)
	}
	pool := x509.NewCertPool()
	for _, c := range certs {
		pool.AddCert(c)
	}
	return pool, nil
}

// storeError says what is wrong with a PKCS12 store.
func storeError(path, passwordKey string, err error) error {
	if errors.Is(err, pkcs12.ErrIncorrectPassword) || errors.Is(err, pkcs12.ErrDecryption) {
		return fmt.Errorf("%s does not open with %s", path, passwordKey)
	}
	return fmt.Errorf("%s: %w", path, err)
}

// readStore reads a store and says whether it is PEM or PKCS12.
func readStore(path, kind string) ([]byte, string, error) {
	switch strings.ToUpper(kind) {
	case typePEM, typePKCS12, typeJKS, "":
	default:
		return nil, "", fmt.Errorf("its type is not supported; there are %s and %s", typePEM, typePKCS12)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, "", err
	}
	if strings.EqualFold(kind, typePEM) {
		return b, typePEM, nil
	}
	if magic := []byte{0xfe, 0xed, 0xfe, 0xed}; bytes.HasPrefix(b, magic) {
		return nil, "", fmt.Errorf("%s is a JKS store, which is not supported: convert it with keytool -importkeystore -srckeystore %s -destkeystore %s.p12 -deststoretype PKCS12",
			path, path, path)
	}
	return b, typePKCS12, nil
}

// certificate returns the certificate of the key store with its key, nil if there is
// none.
func (p properties) certificate() (*tls.Certificate, error) {
	if p.has(keyStoreKey) || p.has(keyStoreChain) {
		switch {
		case !strings.EqualFold(p.get(keyStoreType), typePEM):
			return nil, fmt.Errorf("%s and %s need %s=PEM", keyStoreKey, keyStoreChain, keyStoreType)
		case p.has(keyStoreLocation):
			return nil, fmt.Errorf("%s and %s exclude each other", keyStoreKey, keyStoreLocation)
		case !p.has(keyStoreKey) || !p.has(keyStoreChain):
			return nil, fmt.Errorf("%s and %s go together", keyStoreKey, keyStoreChain)
		}
		cert, err := pair([]byte(p.get(keyStoreChain)), []byte(p.get(keyStoreKey)))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", keyStoreKey, err)
		}
		return cert, nil
	}
	if !p.has(keyStoreLocation) {
		return nil, nil
	}
	cert, err := p.keyStore(p.get(keyStoreLocation))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", keyStoreLocation, err)
	}
	return cert, nil
}

func (p properties) keyStore(path string) (*tls.Certificate, error) {
	b, kind, err := readStore(path, p.get(keyStoreType))
	if err != nil {
		return nil, err
	}
	if kind == typePEM {
		cert, err := pair(b, b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return cert, nil
	}
	if p.has(keyKeyPassword) && !p[keyKeyPassword].Equal(p[keyStorePassword]) {
		return nil, fmt.Errorf("%s and %s differ, which is not supported", keyKeyPassword, keyStorePassword)
	}
	key, leaf, chain, err := pkcs12.DecodeChain(b, p.get(keyStorePassword))
	if err != nil {
		return nil, storeError(path, keyStorePassword, err)
	}
	cert := &tls.Certificate{PrivateKey: key, Leaf: leaf, Certificate: [][]byte{leaf.Raw}}
	for _, c := range chain {
		cert.Certificate = append(cert.Certificate, c.Raw)
	}
	return cert, nil
}

// pair makes a certificate of PEM texts.
func pair(chain, key []byte) (*tls.Certificate, error) {
	chain, key = lines(chain), lines(key)
	for rest := key; ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			break
		}
		if block.Type == "ENCRYPTED PRIVATE KEY" {
			return nil, errors.New("the private key is encrypted, which is supported in PKCS12 only: " +
				"convert it with openssl pkcs12 -export -in FILE -out FILE.p12, or decrypt it with openssl pkcs8 -in FILE -out KEY")
		}
	}
	cert, err := tls.X509KeyPair(chain, key)
	if err != nil {
		return nil, err
	}
	return &cert, nil
}
