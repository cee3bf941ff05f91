//go:build linux || darwin

package kafkatest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// When its input ends, it kills the process group $1 and removes the directory
// $2; what is killed may still write there for a moment.
const watch = `trap '' HUP INT TERM
cat >/dev/null
kill -s KILL -- "-$1"
rm -rf -- "$2" || { sleep 1; rm -rf -- "$2"; }`

// A keeper sees to it that no process of a cluster outlives ours. All of them are
// in one process group, that of a cat which does nothing else, and a shell with a
// group of its own (so that ctrl-C does not end it) waits for the end of its
// input, the other end of which only we have. The kernel closes that however we
// end, and close is no other way than that.
type keeper struct {
	leader, watcher *exec.Cmd
	inputs          [2]io.Closer
}

func newKeeper(dir string) (*keeper, error) {
	k := &keeper{leader: exec.Command("cat")}
	in, err := k.leader.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("kafkatest: keeper: %w", err)
	}
	k.leader.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := k.leader.Start(); err != nil {
		return nil, fmt.Errorf("kafkatest: keeper: %w", err)
	}
	k.inputs[0] = in

	k.watcher = exec.Command("sh", "-c", watch, "kafkatest", strconv.Itoa(k.leader.Process.Pid), dir)
	k.watcher.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if k.inputs[1], err = k.watcher.StdinPipe(); err == nil {
		err = k.watcher.Start()
	}
	if err != nil {
		return nil, fmt.Errorf("kafkatest: keeper: %w", errors.Join(err, k.leader.Process.Kill(), k.leader.Wait()))
	}
	return k, nil
}

// adopt puts a command that is yet to start into the group.
func (k *keeper) adopt(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pgid: k.leader.Process.Pid}
}

// close kills all that were adopted. Who started them still has to wait for them.
func (k *keeper) close() {
	k.inputs[1].Close()
	k.watcher.Wait() //nolint:errcheck // its status says no more than that it ended
	k.inputs[0].Close()
	k.leader.Wait() //nolint:errcheck // it was killed
}

// lock takes the lock of that name, which ends with the process at the latest.
func lock(name string) (unlock func(), err error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s: %w", name, err), f.Close())
	}
	return func() { f.Close() }, nil
}
