# ===- protocol.py - Messages between this process and a runner ------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Packing and unpacking of the messages that `runtime/runner/Protocol.h` describes. Nothing is sent here."""

from __future__ import annotations

import enum
import struct
from collections.abc import Sequence
from dataclasses import dataclass

VERSION = 2
MAX_BODY_BYTES = 256 << 20
HEADER = struct.Struct("<II")


class ProtocolError(ValueError):
    """A message that is not what `Protocol.h` says."""


class Request(enum.IntEnum):
    MAP = 1
    UNMAP = 2
    LOAD = 3
    UNLOAD = 4
    LAUNCH = 5


class Reply(enum.IntEnum):
    HELLO = 101
    DONE = 102
    MAPPED = 103
    LAUNCHED = 104
    REFUSED = 105
    FAULT = 106


class Status(enum.IntEnum):
    """As spine::rt::LaunchStatus."""

    SUCCESS = 0
    NEGATIVE_GRID = 1
    GRID_TOO_LARGE = 2
    OUT_OF_MEMORY = 3
    ASSERT_FAILED = 4


_HELLO = struct.Struct("<IIQQII")
_SEGMENT = struct.Struct("<QQQII")
_LAUNCH = struct.Struct("<QQQiiiIII")
_LAUNCHED = struct.Struct("<IiiiiI")
_FAULT = struct.Struct("<IIQQ")


@dataclass(frozen=True)
class Hello:
    """What a runner says of itself: bytes of its vector registers, where code may lie, addresses of its functions."""

    version: int
    vector_bytes: int
    code_address: int
    code_bytes: int
    cores: int
    symbols: dict[str, int]


@dataclass(frozen=True)
class Launched:
    """How a launch ended; the rest describes a failed assertion."""

    status: int
    line: int
    program: tuple[int, int, int]
    message: str
    file: str
    function: str


@dataclass(frozen=True)
class Fault:
    """A signal that a kernel caused: its number and code, the instruction's address, the address of the access."""

    signal: int
    code: int
    program_counter: int
    address: int


def header(kind: int, body: bytes) -> bytes:
    if len(body) > MAX_BODY_BYTES:
        raise ProtocolError(f"a message of {len(body)} bytes is longer than {MAX_BODY_BYTES}")
    return HEADER.pack(kind, len(body))


def parse_header(data: bytes) -> tuple[int, int]:
    """Kind and length of a message's body."""
    kind, size = HEADER.unpack(data)
    if kind not in Reply._value2member_map_ or size > MAX_BODY_BYTES:
        raise ProtocolError(f"a message of kind {kind} with {size} bytes")
    return kind, size


def map_request(size: int) -> bytes:
    return struct.pack("<Q", size)


def range_request(address: int, size: int) -> bytes:
    return struct.pack("<QQ", address, size)


def load_request(segments: Sequence[tuple[int, bytes, int, int]]) -> bytes:
    """`segments` lists address, contents, bytes in memory and protection (as `mmap` counts it)."""
    head = [_SEGMENT.pack(address, len(data), size, protection, 0) for address, data, size, protection in segments]
    return b"".join([struct.pack("<II", len(segments), 0), *head, *(s[1] for s in segments)])


def launch_request(
    function: int, arena_bytes: int, kept_at: int, grid: tuple[int, int, int], threads: int, slots: Sequence[int]
) -> bytes:
    fixed = _LAUNCH.pack(function, arena_bytes, kept_at, *grid, threads, len(slots), 0)
    return fixed + struct.pack(f"<{len(slots)}Q", *slots)


def _unpack(layout: struct.Struct, body: bytes) -> tuple:
    if len(body) < layout.size:
        raise ProtocolError(f"a message of {len(body)} bytes instead of {layout.size}")
    return layout.unpack_from(body)


def parse_hello(body: bytes) -> Hello:
    version, vector_bytes, address, size, cores, count = _unpack(_HELLO, body)
    if version != VERSION:
        raise ProtocolError(f"protocol version {version} instead of {VERSION}: build the runner again")
    symbols: dict[str, int] = {}
    at = _HELLO.size
    for _ in range(count):
        end = body.find(b"\0", at + 8)
        if end < 0:
            raise ProtocolError("a list of functions that is cut off")
        symbols[body[at + 8 : end].decode()] = int.from_bytes(body[at : at + 8], "little")
        at = end + 1
    return Hello(version, vector_bytes, address, size, cores, symbols)


def parse_address(body: bytes) -> int:
    return _unpack(struct.Struct("<Q"), body)[0]


def parse_launched(body: bytes) -> Launched:
    status, line, x, y, z, _ = _unpack(_LAUNCHED, body)
    texts = body[_LAUNCHED.size :].split(b"\0")
    if len(texts) != 4:
        raise ProtocolError("a launch's result without its texts")
    message, file, function = (t.decode(errors="replace") for t in texts[:3])
    return Launched(status, line, (x, y, z), message, file, function)


def parse_fault(body: bytes) -> Fault:
    return Fault(*_unpack(_FAULT, body))
