# ===- test_parts.py - Parts of the runner's host side ---------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Messages, memory and address space, without an emulator; and processes that are no runners."""

import mmap
import os
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spine_triton import RunnerError, targets
from spine_triton.runners import machine_for, memory, protocol, qemu
from spine_triton.runners.code import AddressSpace
from spine_triton.runners.process import RunnerProcess

# --- Messages


def test_constants_are_those_of_the_runner():
    header = os.path.join(os.path.dirname(__file__), *[os.pardir] * 3, "runtime", "runner", "Protocol.h")
    text = open(header).read()
    for name, value in (*protocol.Request.__members__.items(), *protocol.Reply.__members__.items()):
        assert f"  {name.capitalize()} = {value.value}," in text
    assert f"kProtocolVersion = {protocol.VERSION};" in text
    assert f"kMaxBodyBytes = {protocol.MAX_BODY_BYTES >> 20}u << 20" in text


@pytest.mark.parametrize("data", [(7).to_bytes(8, "little"), b"\x67\0\0\0\xff\xff\xff\xff"])
def test_nonsense_is_no_header(data):
    with pytest.raises(protocol.ProtocolError):
        protocol.parse_header(data)


def test_long_messages_are_refused():
    class Long(bytes):
        def __len__(self):
            return protocol.MAX_BODY_BYTES + 1

    with pytest.raises(protocol.ProtocolError, match="longer than"):
        protocol.header(1, Long())


@pytest.mark.parametrize("parse", [protocol.parse_hello, protocol.parse_fault, protocol.parse_launched])
def test_short_bodies_are_refused(parse):
    with pytest.raises(protocol.ProtocolError, match="instead of"):
        parse(b"\1\0\0\0")


def hello(version=protocol.VERSION, tail=b"\x10\0\0\0\0\0\0\0sin\0"):
    return version.to_bytes(4, "little") + (128).to_bytes(4, "little") + bytes(20) + (1).to_bytes(4, "little") + tail


def test_hello():
    found = protocol.parse_hello(hello())
    assert found.vector_bytes == 128
    assert found.symbols == {"sin": 16}
    with pytest.raises(protocol.ProtocolError, match="build the runner again"):
        protocol.parse_hello(hello(version=99))
    with pytest.raises(protocol.ProtocolError, match="cut off"):
        protocol.parse_hello(hello(tail=b"\x10\0\0\0\0\0\0\0sin"))


# --- Memory


@given(st.lists(st.tuples(st.integers(1, 200), st.integers(0, 50)), max_size=8))
def test_merged_storages_hold_every_byte_once(ranges):
    merged = memory.merge(ranges)
    covered = [a for s in merged for a in range(s.begin, s.end)]
    assert covered == sorted({a for begin, size in ranges for a in range(begin, begin + size)})
    for begin, size in ranges:
        if size:
            storage = memory.find(merged, begin)
            assert storage.begin <= begin and begin + size <= storage.end


def test_storage_there_and_back():
    x = np.arange(3_000_001, dtype=np.uint8)[1:]
    (storage,) = memory.merge([(x.ctypes.data, x.nbytes)])
    storage.region = memory.Region(storage.region_bytes)
    storage.region.remote = 0x5000
    assert storage.remote(x.ctypes.data + 7) % memory.PAGE == (x.ctypes.data + 7) % memory.PAGE
    storage.copy_in()
    shared = mmap.mmap(storage.region.file, storage.region.size)
    at = storage.offset
    assert shared[at : at + x.nbytes] == x.tobytes()
    shared[at + 2_000_000] = 1
    wanted = x.copy()
    wanted[2_000_000] = 1
    storage.copy_out()
    assert np.array_equal(x, wanted)
    shared.close()
    storage.region.close()


def test_too_much_memory_is_an_error():
    with pytest.raises(MemoryError, match="no shared memory for"):
        memory.Region(1 << 62)


def test_idle_regions_are_reused_and_limited(monkeypatch):
    monkeypatch.setattr(memory, "IDLE_BYTES", 3 << 20)
    idle = memory.IdleRegions()
    regions = [memory.Region(size << 20) for size in (1, 2, 1)]
    assert [idle.give(r) for r in regions] == [[], [], [regions[0]]]
    assert idle.take(5 << 20) is None
    assert idle.take((1 << 20) + 1) is regions[1]
    assert idle.take(4096) is regions[2]
    assert idle.take(4096) is None
    for region in regions:
        region.close()


# --- Address space


@given(st.lists(st.tuples(st.integers(1, 20), st.booleans()), max_size=40))
def test_address_space(steps):
    space, taken = AddressSpace(1000, 300), []
    for size, free_one in steps:
        address, free = space.largest()
        if size <= free:
            space.take(address, size)
            assert not any(a < address + size and address < a + s for a, s in taken)
            assert 1000 <= address and address + size <= 1300
            taken.append((address, size))
        if free_one and taken:
            space.give(*taken.pop(0))
    for part in taken:
        space.give(*part)
    assert space.largest() == (1000, 300)


def test_what_is_not_free_cannot_be_taken():
    space = AddressSpace(0, 100)
    space.take(10, 10)
    with pytest.raises(ValueError, match="are not free"):
        space.take(15, 1)


# --- Processes that are no runners


def start(code):
    return RunnerProcess([sys.executable, "-c", code], "test")


def test_program_that_ends_at_once():
    with pytest.raises(RunnerError, match=r"for test ended unexpectedly \(exit status 3\): oh"):
        start("import sys; print('oh', file=sys.stderr); sys.exit(3)")


def test_program_that_says_nonsense():
    with pytest.raises(RunnerError, match="a message of kind"):
        start("import os, sys; os.write(int(sys.argv[1]), b'x' * 100); import time; time.sleep(1)")


def test_program_that_is_not_there():
    with pytest.raises(RunnerError, match="cannot start the runner for test"):
        RunnerProcess(["/nonexistent/program"], "test")


def test_program_that_says_nothing(monkeypatch):
    from spine_triton.runners import process

    monkeypatch.setattr(process, "START_TIMEOUT", 0.5)
    with pytest.raises(RunnerError, match=r"did not answer within 0.5 seconds"):
        start("import time; time.sleep(100)")


# --- What is missing is said


def test_missing_emulator(monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    qemu.program_path.cache_clear()
    with pytest.raises(RunnerError, match="qemu-riscv64 is not installed: install Debian's package qemu-user"):
        qemu.program_path()


def test_old_emulator(monkeypatch, tmp_path):
    program = tmp_path / qemu.PROGRAM
    program.write_text("#!/bin/sh\necho 'qemu-riscv64 version 7.2.11 (Debian 1:7.2)'\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    qemu.program_path.cache_clear()
    with pytest.raises(RunnerError, match=r"is version 7\.2\.11, 8\.1 is needed"):
        qemu.program_path()


def test_missing_runner(monkeypatch):
    monkeypatch.setattr(qemu, "RUNNER", "spine-runner-m68k")
    with pytest.raises(RunnerError, match=r"has no runner for riscv64 .*: install libc6-dev-riscv64-cross"):
        qemu.runner_path()


def test_native_runner_needs_the_host_target():
    with pytest.raises(RuntimeError, match="kernels for spacemit-a100 cannot run in this process: set SPINE_TRITON_"):
        machine_for("native", targets.find("spacemit-a100"))


def test_strict_processor():
    found = qemu.cpu(targets.find("spacemit-a100"))
    assert found.startswith("rv64,v=true,vlen=1024")
    assert found.endswith("rvv_ta_all_1s=true,rvv_ma_all_1s=true")


@pytest.mark.parametrize("name", [n for n in targets.names() if n != "host"])
def test_vector_length_of_the_emulated_processor(name):
    target = targets.find(name)
    assert f"vlen={target.vector_bits}," in target.description["qemu_cpu"]
