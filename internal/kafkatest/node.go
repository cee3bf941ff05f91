package kafkatest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
)

// A node is one process of the cluster, and what it leaves in its directory.
type node struct {
	id       int
	dir      string
	keystore string
	ports    ports

	// The last process that was started, nil before that.
	process atomic.Pointer[process]
}

type process struct {
	cmd    *exec.Cmd
	exited chan struct{} // closed when it ended
}

type ports struct{ plain, sasl, ssl, controller int }

func (n *node) file(name string) string { return filepath.Join(n.dir, name) }

// A jvm is the Java that runs a Kafka.
type jvm struct {
	java, classpath string
}

// Three of them on a small machine: they start at once and live for minutes, so
// the quick compiler and the simple collector serve best.
var jvmFlags = []string{"-Xms256m", "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"}

func (r jvm) command(ctx context.Context, n *node, class string, args ...string) *exec.Cmd {
	all := append([]string(nil), jvmFlags...)
	all = append(all,
		"-Dkafkatest.dir="+n.dir,
		"-Dlog4j2.configurationFile="+n.file("log4j2.properties"),
		"-cp", r.classpath, class)
	cmd := exec.CommandContext(ctx, r.java, append(all, args...)...)
	cmd.Dir = n.dir
	return cmd
}

// write writes the files that the node starts from.
func (n *node) write(props map[string]string) error {
	return errors.Join(
		os.MkdirAll(n.dir, 0o700),
		os.WriteFile(n.file("log4j2.properties"), log4j2, 0o600),
		os.WriteFile(n.file("server.properties"), []byte(renderProperties(props)), 0o600),
	)
}

// format prepares the data directory, with the users.
func (n *node) format(ctx context.Context, r jvm, k *keeper, clusterID string) error {
	args := []string{"format", "--cluster-id", clusterID, "--config", n.file("server.properties")}
	for _, user := range users {
		args = append(args, "--add-scram", fmt.Sprintf("SCRAM-SHA-256=[name=%s,password=%s,iterations=4096]", user, Password(user)))
	}
	cmd := r.command(ctx, n, "kafka.tools.StorageTool", args...)
	k.adopt(cmd)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("kafkatest: format node %d: %w\n%s", n.id, errors.Join(err, context.Cause(ctx)), tail(string(out)))
	}
	return nil
}

// start starts the process. It goes on when the caller's context ends.
func (n *node) start(r jvm, k *keeper) error {
	log, err := os.OpenFile(n.file("server.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("kafkatest: node %d: %w", n.id, err)
	}
	defer log.Close() // the process has its own
	cmd := r.command(context.Background(), n, "kafka.Kafka", n.file("server.properties"))
	cmd.Stdout, cmd.Stderr = log, log
	k.adopt(cmd)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("kafkatest: node %d: %w", n.id, err)
	}
	p := &process{cmd: cmd, exited: make(chan struct{})}
	n.process.Store(p)
	go func() {
		defer close(p.exited)
		cmd.Wait() //nolint:errcheck // why it ended is in its log
	}()
	return nil
}

// exited returns a channel that is closed when the node's last process ended,
// and is closed already when there was none.
func (n *node) exited() <-chan struct{} {
	if p := n.process.Load(); p != nil {
		return p.exited
	}
	none := make(chan struct{})
	close(none)
	return none
}

func (n *node) running() bool {
	select {
	case <-n.exited():
		return false
	default:
		return true
	}
}

// kill ends the process as SIGKILL does, and waits for that.
func (n *node) kill() error {
	if !n.running() {
		return fmt.Errorf("kafkatest: node %d is not running", n.id)
	}
	p := n.process.Load()
	if err := p.cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return fmt.Errorf("kafkatest: kill node %d: %w", n.id, err)
	}
	<-p.exited
	return nil
}

// log returns what the process printed, over all its starts.
func (n *node) log() (string, error) {
	text, err := os.ReadFile(n.file("server.log"))
	if err != nil {
		return "", fmt.Errorf("kafkatest: node %d: %w", n.id, err)
	}
	return string(text), nil
}
