// Package kafkatest starts an Apache Kafka for integration tests: three
// processes on 127.0.0.1, each a broker and a controller, from the jars that
// Kafka publishes on Maven Central.
//
//	c, err := kafkatest.Start(ctx, kafkatest.Options{})
//	...
//	defer c.Close()
//	cl, err := kgo.NewClient(kgo.SeedBrokers(c.Addrs()...))
//
// It needs Linux or macOS, Java 17 or newer and, unless the jars are cached, Maven.
//
// # The jars
//
// The pom.xml of this package names what is fetched, with Maven and whatever
// mirror it is configured for. A file checksums-VERSION.txt beside it holds the
// SHA-256 of every jar, and no jar runs that is not in there. They stay in the
// user's cache directory, under kcfg-kafkatest. To move to another Kafka: run
//
//	mvn -f pom.xml dependency:copy-dependencies -DincludeScope=runtime \
//	    -Dkafka.version=VERSION -DoutputDirectory=DIR
//	cd DIR && LC_ALL=C sha256sum *.jar
//
// and put what it prints into the new checksums-VERSION.txt.
//
// # Who may do what
//
// Kafka's own authorizer is on, and denies what no ACL allows. Each node listens
// three times for clients: without authentication (Addrs), with SASL (SASLAddrs)
// and with TLS (SSLAddrs). Who does not authenticate, on the first and the last,
// is User:ANONYMOUS, and that is a superuser here: the brokers talk to each other
// that way, and a test that is not about rights has all of them. The users Alice
// and Bob have no rights until a test grants them; Admin is a superuser.
//
// # How it ends
//
// Close kills the processes and removes what they wrote. The same happens by
// itself when the test's process ends in any other way, SIGKILL included: a shell
// outside its process group waits for the end of a pipe that we hold.
package kafkatest
