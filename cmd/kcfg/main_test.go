package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// suite removes the binary before the check for leaks.
type suite struct{ m *testing.M }

func (s suite) Run() int {
	defer func() { _ = os.RemoveAll(where) }()
	return s.m.Run()
}

// where is the directory of the binary, once it is built.
var where string

func TestMain(m *testing.M) { goleak.VerifyTestMain(suite{m}) }

// build builds the binary and returns its path.
var build = sync.OnceValues(func() (string, error) {
	var err error
	if where, err = os.MkdirTemp("", "kcfg-command"); err != nil {
		return "", err
	}
	path := filepath.Join(where, "kcfg")
	out, err := exec.CommandContext(context.Background(), "go", "build", "-o", path, ".").CombinedOutput() // for all tests
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
})

// kcfg makes a run of the binary, which the end of the test kills.
func kcfg(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := build()
	require.NoError(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return exec.CommandContext(ctx, path, args...)
}

// result is what a run left behind.
type result struct {
	code     int
	out, err string
}

func run(t *testing.T, stdin string, args ...string) result {
	t.Helper()
	cmd := kcfg(t, args...)
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &errs
	err := cmd.Run()
	if _, ended := errors.AsType[*exec.ExitError](err); !ended {
		require.NoError(t, err)
	}
	return result{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// broker runs kcfg broker, and returns its process and its address.
func broker(t *testing.T, args ...string) (*exec.Cmd, string) {
	t.Helper()
	cmd := kcfg(t, append([]string{"broker", "--listen", "127.0.0.1:0"}, args...)...)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // most often it has ended
		_ = cmd.Wait()
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	require.NoError(t, err)
	addr, ok := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
	require.True(t, ok, line)
	return cmd, addr
}

func TestAnInterruptEndsTheBroker(t *testing.T) {
	for _, signal := range []os.Signal{syscall.SIGINT, syscall.SIGTERM} {
		cmd, addr := broker(t, "--setup")
		assert.Zero(t, run(t, "", "setup", "--bootstrap-server", addr).code, "it runs")
		require.NoError(t, cmd.Process.Signal(signal))
		require.NoError(t, cmd.Wait(), "exit code 0")
		_, err := net.Dial("tcp", addr)
		require.Error(t, err)
	}
}

func TestEveryExitCodeIsSeen(t *testing.T) {
	_, addr := broker(t, "--user", "alice:wonder", "--topic", "orders")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	alice := []string{"setup", "--bootstrap-server", addr, "--sasl-user", "alice", "--sasl-password-file", "-"}
	for name, tt := range map[string]struct {
		stdin string
		args  []string
		code  int
		says  string
	}{
		"done":           {"wonder\n", alice, 0, ""},
		"usage":          {"", []string{"setup"}, 1, "--bootstrap-server"},
		"no such verb":   {"", []string{"stup"}, 1, "setup"},
		"no such flag":   {"", []string{"version", "--bogus"}, 1, "--bogus"},
		"failed":         {"", []string{"setup", "--bootstrap-server", addr}, 2, "closed the connection"},
		"not authorized": {"other\n", alice, 3, "SaslAuthenticationFailed"},
		"timed out":      {"", []string{"setup", "--bootstrap-server", l.Addr().String(), "--timeout", "1s"}, 4, "answers"},
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, tt.stdin, tt.args...)
			assert.Equal(t, tt.code, r.code, r.err)
			if tt.code == 0 {
				assert.Empty(t, r.err)
				assert.Contains(t, r.out, "_kcfg_clients")
				return
			}
			assert.Empty(t, r.out)
			assert.Contains(t, r.err, "kcfg: ")
			assert.Contains(t, strings.ReplaceAll(r.err, "SASL_AUTHENTICATION_FAILED", "SaslAuthenticationFailed"), tt.says)
		})
	}
}

func TestOutputThatNobodyReadsIsNoPanic(t *testing.T) {
	r, w, err := os.Pipe()
	require.NoError(t, err)
	require.NoError(t, r.Close())
	cmd := kcfg(t, "acls", "--operator", "User:ops")
	var errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = w, &errs
	require.Error(t, cmd.Run())
	require.NoError(t, w.Close())
	assert.NotContains(t, errs.String(), "panic")
	assert.NotContains(t, errs.String(), "goroutine")
}

func TestACommandThatIsInterruptedEndsAtOnce(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	cmd := kcfg(t, "setup", "--bootstrap-server", l.Addr().String(), "--timeout", "10m")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	require.NoError(t, cmd.Start())
	conn, err := l.Accept()
	require.NoError(t, err)
	defer conn.Close()
	_, err = io.ReadFull(conn, make([]byte, 4)) // it waits for an answer
	require.NoError(t, err)
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	require.Error(t, cmd.Wait())
	assert.Equal(t, 2, cmd.ProcessState.ExitCode(), errs.String())
}

func TestTheBinaryTellsItsVersion(t *testing.T) {
	r := run(t, "", "version", "-o", "json")
	assert.Zero(t, r.code)
	assert.Contains(t, r.out, `"franzGo": "v1.`)
}
