# SPDX-License-Identifier: GPL-3.0-or-later
"""A program on a pseudo terminal of its own, every byte of it seen."""

import codecs
import fcntl
import os
import pty
import select
import signal
import struct
import termios
import time

from drive import PATIENCE, below, kill


class Program:
    def __init__(self, command, term="xterm-256color", cols=80, rows=24, env=None):
        environment = {key: value for key, value in os.environ.items()
                       if key not in ("NO_COLOR", "LINES", "COLUMNS", "TERM")}
        environment.update({"LC_ALL": "C.UTF-8", "TZ": "UTC", **(env or {})})
        if term:
            environment["TERM"] = term
        # The slave is kept open, so that the modes can be looked at when the program has ended.
        self.master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))
        self.slave = slave
        self.first_modes = self.modes()
        self.output = ""
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.last_modes = None
        self.pid = os.fork()
        if self.pid == 0:
            os.close(self.master)
            os.login_tty(slave) if hasattr(os, "login_tty") else self._login(slave)
            os.execvpe(command[0], command, environment)

    @staticmethod
    def _login(slave):
        os.setsid()
        fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
        for number in (0, 1, 2):
            os.dup2(slave, number)
        os.close(slave)

    def resize(self, cols, rows):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, cols, 0, 0))

    def modes(self):
        return termios.tcgetattr(self.slave)[:4]

    def read(self, seconds):
        """What comes within some time; False when nothing does."""
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.master, 65536)
        except OSError:
            return False
        self.output += self.decoder.decode(data)
        return bool(data)

    def wait(self, wanted, after=0, seconds=PATIENCE):
        end = time.monotonic() + seconds
        while wanted not in self.output[after:]:
            if time.monotonic() > end:
                raise AssertionError(f"'{wanted}' did not come: {self.output[-2000:]!r}")
            self.read(0.1)

    def quiet(self, seconds=0.15):
        while self.read(seconds):
            pass

    def type(self, text, shows=None):
        """With `shows`, waits until this is written, too, from now on."""
        before = len(self.output)
        # What is typed while the program still works is fine; an escape sequence has to come
        # as a whole.
        os.write(self.master, text.encode())
        if text.startswith("\x1b"):
            time.sleep(0.06)
        if shows:
            self.wait(shows, before)

    def suspend(self):
        """Ctrl-Z. What is typed while the terminal's modes change or output waits may be lost."""
        self.quiet()
        self.type("\x1a")

    def answer(self, key):
        """Seconds until the first byte after a key."""
        self.quiet(0.03)
        begin = time.monotonic()
        os.write(self.master, key.encode())
        if not select.select([self.master], [], [], PATIENCE)[0]:
            raise AssertionError(f"no answer to {key!r}")
        return time.monotonic() - begin

    def end(self):
        """All that it said and its exit status, once it has ended."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            self.read(0.05)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.quiet(0.05)
                self.last_modes = self.modes()
                os.close(self.slave)
                os.close(self.master)
                return self.output, os.waitstatus_to_exitcode(status)
        self.kill()
        raise AssertionError(f"did not end: {self.output[-2000:]!r}")

    def hang_up(self):
        os.close(self.slave)
        os.close(self.master)

    def wait_end(self, seconds=PATIENCE):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                return os.waitstatus_to_exitcode(status)
            time.sleep(0.02)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        raise AssertionError("did not end")

    def deck(self):
        """Process number of the deck that this one stands in for."""
        return below(self.pid)[0]

    def kill(self):
        decks = below(self.pid)
        os.kill(self.pid, signal.SIGKILL)
        kill(decks)
        os.waitpid(self.pid, 0)
        os.close(self.slave)
        os.close(self.master)
