package kafkatest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
)

const host = "127.0.0.1"

// Below what systems hand out for outgoing connections. Otherwise the port of a
// killed node could go to a connection of somebody else before its restart: of a
// client that reconnects, to itself even.
const lowestPort, highestPort = 10_000, 32_000

// freePorts returns n different ports on which nothing listens. All are held
// until the last is found. Who takes one before Kafka does makes the start fail,
// which then is tried with others.
func freePorts(n int) ([]int, error) {
	var ports []int
	var held []net.Listener
	defer func() {
		for _, l := range held {
			l.Close()
		}
	}()
	var refused error
	for range 100 * n {
		port := lowestPort + rand.IntN(highestPort-lowestPort)
		l, err := net.Listen("tcp", addr(port))
		if err != nil {
			refused = err
			continue
		}
		held = append(held, l)
		if ports = append(ports, port); len(ports) == n {
			return ports, nil
		}
	}
	return nil, fmt.Errorf("kafkatest: no %d free ports: %w", n, refused)
}

func addr(port int) string { return net.JoinHostPort(host, strconv.Itoa(port)) }
