//go:build !linux && !darwin

package kafkatest

import (
	"errors"
	"os/exec"
)

var errSystem = errors.New("kafkatest: needs Linux or macOS")

type keeper struct{}

func newKeeper(string) (*keeper, error) { return nil, errSystem }

func (*keeper) adopt(*exec.Cmd) {}
func (*keeper) close()          {}

func lock(string) (unlock func(), err error) { return nil, errSystem }
