//go:build linux || darwin

package kafkatest

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

// patience bounds every wait of a test. A test that needs it all has failed.
const patience = 30 * time.Second

func TestMain(m *testing.M) {
	if dir, isChild := os.LookupEnv(keepForever); isChild {
		os.Exit(keepAndHang(dir))
	}
	goleak.VerifyTestMain(m)
}

// keepForever makes this test binary a process that keeps another one and ends
// only when it is killed. Its value is the directory to remove.
const keepForever = "KAFKATEST_KEEP_FOREVER"

// keepAndHang is that process. It says when the kept one runs, which alone holds
// the file with the number 3.
func keepAndHang(dir string) int {
	const held = 3
	syscall.CloseOnExec(held)
	k, err := newKeeper(dir)
	if err != nil {
		return 1
	}
	kept := exec.Command("sleep", "600")
	kept.ExtraFiles = []*os.File{os.NewFile(held, "held")}
	k.adopt(kept)
	if err := kept.Start(); err != nil {
		return 1
	}
	fmt.Fprintln(os.Stdout, "kept")
	select {}
}

func TestKeptProcessesEndWithOursHoweverItEnds(t *testing.T) {
	for _, signal := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM, syscall.SIGINT, syscall.SIGQUIT} {
		t.Run(signal.String(), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "files")
			require.NoError(t, os.Mkdir(dir, 0o700))
			write(t, dir, "data", "")
			r, held, err := os.Pipe()
			require.NoError(t, err)
			defer r.Close()

			child := exec.Command(os.Args[0])
			child.Env = append(os.Environ(), keepForever+"="+dir)
			child.ExtraFiles = []*os.File{held}
			out, err := child.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, child.Start())
			held.Close()
			t.Cleanup(func() { _ = child.Process.Kill() }) // it mostly ended long ago
			line, err := bufio.NewReader(out).ReadString('\n')
			require.NoError(t, err)
			require.Equal(t, "kept\n", line)
			require.DirExists(t, dir)

			require.NoError(t, child.Process.Signal(signal))
			require.Error(t, child.Wait())
			require.NoError(t, r.SetReadDeadline(time.Now().Add(patience)))
			_, err = r.Read(make([]byte, 1))
			require.ErrorIs(t, err, io.EOF, "the kept process still runs")
			require.Eventually(t, func() bool {
				_, err := os.Stat(dir)
				return errors.Is(err, fs.ErrNotExist)
			}, patience, 10*time.Millisecond)
		})
	}
}

func TestKeeperEndsWhatItAdoptedAndNothingElse(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "files")
	require.NoError(t, os.Mkdir(dir, 0o700))
	k, err := newKeeper(dir)
	require.NoError(t, err)
	adopted, other := exec.Command("sleep", "600"), exec.Command("sleep", "600")
	k.adopt(adopted)
	require.NoError(t, adopted.Start())
	require.NoError(t, other.Start())

	k.close()
	defer time.AfterFunc(patience, func() { _ = adopted.Process.Kill() }).Stop()
	require.ErrorContains(t, adopted.Wait(), syscall.SIGKILL.String())
	assert.NoDirExists(t, dir)
	require.NoError(t, other.Process.Signal(syscall.SIGTERM))
	require.ErrorContains(t, other.Wait(), syscall.SIGTERM.String(), "it was killed before")

	late := exec.Command("sleep", "600")
	k.adopt(late)
	require.Error(t, late.Start(), "nobody would end it")
}

func TestLockHasOneHolder(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	unlock, err := lock(name)
	require.NoError(t, err)

	other, err := os.Open(name)
	require.NoError(t, err)
	defer other.Close()
	try := func() error { return syscall.Flock(int(other.Fd()), syscall.LOCK_SH|syscall.LOCK_NB) }
	require.ErrorIs(t, try(), syscall.EWOULDBLOCK)
	unlock()
	require.NoError(t, try())
}
