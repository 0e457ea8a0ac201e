# ===- process.py - The process that kernels run in ------------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Starts a runner, sends it requests and waits for the answers, with a time limit for each.

What kernels print arrives through a pipe and is written to this process's standard output while they run.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence

from spine_triton.errors import RunnerError, RunnerTimeout
from spine_triton.runners import protocol
from spine_triton.runners.protocol import Reply, Request

START_TIMEOUT = 60.0
_KEPT_STDERR = 4000


class RunnerRefused(RunnerError):
    """The runner is well and says that it cannot do what was asked for."""


class KernelFaulted(Exception):
    """The runner ended because of a signal. `fault` says which."""

    def __init__(self, fault: protocol.Fault):
        self.fault = fault


def _forward(data: bytes) -> None:
    """Writes what a kernel printed where native kernels print: to the process's own standard output."""
    try:
        sys.stdout.flush()
    except (AttributeError, ValueError):
        pass  # there is none, or it is closed
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(1, view) :]
        except OSError:
            return


class RunnerProcess:
    """One running runner. After any failure but `RunnerRefused` it is dead, and a new one has to be started.

    Not safe to be used by two threads at once.
    """

    def __init__(self, command: Sequence[str], name: str):
        self.name = name
        self.dead = False
        self._buffer = b""
        self._stderr = b""
        ours, theirs = socket.socketpair()
        self._socket = ours
        try:
            self._process = subprocess.Popen(
                [*command, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                pass_fds=[theirs.fileno()],
            )
        except OSError as e:
            ours.close()
            raise RunnerError(f"cannot start the runner for {name}: {e}") from e
        finally:
            theirs.close()
        for stream in (self._process.stdout, self._process.stderr):
            os.set_blocking(stream.fileno(), False)
        self.hello = self._say_hello()

    def _say_hello(self) -> protocol.Hello:
        end = time.monotonic() + START_TIMEOUT
        return self._guard(START_TIMEOUT, lambda: protocol.parse_hello(self._answer(Reply.HELLO, end)))

    def request(self, kind: Request, body: bytes, expected: Reply, timeout: float, files: Sequence[int] = ()) -> bytes:
        """Sends a request and returns the body of the answer.

        Raises RunnerRefused if the runner says that it cannot do it, RunnerTimeout, KernelFaulted, or RunnerError if the
        process is gone.
        """
        end = time.monotonic() + timeout

        def exchange() -> bytes:
            self._socket.settimeout(timeout)
            data = protocol.header(kind, body) + body
            sent = socket.send_fds(self._socket, [data], list(files)) if files else 0
            self._socket.sendall(data[sent:])
            return self._answer(expected, end)

        return self._guard(timeout, exchange)

    def _guard(self, timeout: float, action):
        """Whatever goes wrong, what follows on the socket could belong to the request that was given up."""
        try:
            return action()
        except RunnerRefused:
            raise
        except TimeoutError:
            self.kill()
            raise RunnerTimeout(
                f"the runner for {self.name} did not answer within {timeout:g} seconds and was ended; "
                "SPINE_TRITON_RUNNER_TIMEOUT sets the limit in seconds"
            ) from None
        except protocol.ProtocolError as e:
            self.kill()
            raise RunnerError(f"the runner for {self.name} said what cannot be understood: {e}") from None
        except (OSError, EOFError) as e:
            raise RunnerError(self._describe_end(e)) from None
        except BaseException:
            self.kill()
            raise

    def _answer(self, expected: Reply, end: float) -> bytes:
        kind, size = protocol.parse_header(self._receive(protocol.HEADER.size, end))
        body = self._receive(size, end)
        self._drain_output()
        if kind == Reply.FAULT:
            raise KernelFaulted(protocol.parse_fault(body))
        if kind == Reply.REFUSED:
            raise RunnerRefused(body.decode(errors="replace"))
        if kind != expected:
            raise protocol.ProtocolError(f"an answer of kind {kind} instead of {expected}")
        return body

    def _receive(self, size: int, end: float) -> bytes:
        """`size` bytes from the socket. Meanwhile, passes on what is printed."""
        while len(self._buffer) < size:
            poll = select.poll()
            poll.register(self._socket, select.POLLIN)
            for stream in (self._process.stdout, self._process.stderr):
                if not stream.closed:
                    poll.register(stream, select.POLLIN)
            left = end - time.monotonic()
            ready = {fd for fd, _ in poll.poll(max(left, 0) * 1000)}
            if not ready and left <= 0:
                raise TimeoutError
            self._drain_output()
            if self._socket.fileno() in ready:
                data = self._socket.recv(1 << 20)
                if not data:
                    raise EOFError("it ended")
                self._buffer += data
        data, self._buffer = self._buffer[:size], self._buffer[size:]
        return data

    def _drain_output(self) -> None:
        for stream, forward in ((self._process.stdout, _forward), (self._process.stderr, self._keep_stderr)):
            while not stream.closed:
                try:
                    data = os.read(stream.fileno(), 1 << 16)
                except BlockingIOError:
                    break
                if not data:
                    stream.close()
                    break
                forward(data)

    def _keep_stderr(self, data: bytes) -> None:
        self._stderr = (self._stderr + data)[-_KEPT_STDERR:]

    def _describe_end(self, cause: Exception) -> str:
        """Ends the process for good and says how it ended."""
        try:
            self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            pass
        code = self._process.poll()
        self._drain_output()
        self.kill()
        how = f"{cause}" if code is None else f"exit status {code}"
        if code is not None and code < 0:
            how = f"signal {signal.Signals(-code).name}" if -code in set(signal.Signals) else f"signal {-code}"
        text = self._stderr.decode(errors="replace").strip()
        return f"the runner for {self.name} ended unexpectedly ({how})" + (f": {text}" if text else "")

    def kill(self) -> None:
        """Ends the process, in the middle of a kernel if need be."""
        self.dead = True
        self._socket.close()
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        self._drain_output()
        for stream in (self._process.stdout, self._process.stderr):
            stream.close()

    @property
    def pid(self) -> int:
        return self._process.pid
