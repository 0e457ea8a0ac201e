# ===- test_cli.py - The command line --------------------------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#

import errno
import io
import os
import re
import subprocess
import sys

import numpy as np
import pytest
import standin_backend
import triton
from kernels import copy_2d
from triton.backends import backends

from spine_triton import __version__, frontend_ttir, versions
from spine_triton.__main__ import main

TYPES = {"x_ptr": "*fp32", "y_ptr": "*fp32"} | dict.fromkeys(["M", "N", "sxm", "sxn", "sym", "syn"], "i32")


@pytest.fixture
def ttir(tmp_path):
    """A function that writes the TTIR of a copy kernel with tiles of some size."""

    def write(block_m, block_n=64):
        path = tmp_path / f"copy-{block_m}x{block_n}.ttir"
        path.write_text(frontend_ttir(copy_2d, TYPES, {"BLOCK_M": block_m, "BLOCK_N": block_n}))
        return str(path)

    return write


def test_version(capsys):
    with pytest.raises(SystemExit) as e:
        main(["--version"])
    assert e.value.code == 0
    assert capsys.readouterr().out == f"spine-triton {__version__} (LLVM {versions()['llvm']})\n"


def test_targets(capsys):
    assert main(["targets"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("host ")
    assert "spacemit-a100" in out and "384 KiB scratchpad per core" in out
    assert "spacemit-x60" in out and "128 KiB" in out


def test_check_fits(ttir, capsys):
    assert main(["check", ttir(64), "--target", "spacemit-a100"]) == 0
    assert "fits spacemit-a100: 16384 of 393216 bytes" in capsys.readouterr().out


def test_check_does_not_fit(ttir, capsys):
    assert main(["check", ttir(64), ttir(4096), "--target", "spacemit-a100"]) == 1
    out = capsys.readouterr().out
    assert "does not fit spacemit-a100: 1048576 of 393216 bytes" in out


def test_check_with_a_capacity_of_ones_own(ttir, capsys):
    assert main(["check", ttir(64), "--scratchpad-bytes", "16383"]) == 1
    assert main(["check", ttir(64), "--scratchpad-bytes", "16384"]) == 0


def test_check_of_what_is_no_ttir(tmp_path, capsys):
    path = tmp_path / "bad.ttir"
    path.write_text("module {\n  nonsense\n}\n")
    assert main(["check", str(path)]) == 2
    assert "bad.ttir:2:" in capsys.readouterr().err
    assert main(["check", str(tmp_path / "missing.ttir")]) == 2


@pytest.mark.parametrize("command,status", [("check", 2), ("residency", 2)])
@pytest.mark.parametrize("option", ["--scratchpad-bytes", "--num-stages"])
@pytest.mark.parametrize("number", ["99999999999999999999", "9223372036854775808", "-1"])
def test_numbers_out_of_range(ttir, capsys, command, status, option, number):
    if command == "check" and option == "--num-stages":
        pytest.skip("not an option of it")
    assert main([command, ttir(64), option, number]) == status
    err = capsys.readouterr().err
    name = option.strip("-").replace("-", "_")
    assert f"{name} must be a whole number from " in err and err.endswith(f"not {number}\n") and err.count("\n") == 1


@pytest.mark.parametrize("command,status", [("check", 2), ("residency", 2)])
@pytest.mark.parametrize(
    "name,data,message",
    [
        ("empty.ttir", b"", "empty.ttir: there is no kernel (a tt.func) in it"),
        ("comment.ttir", b"// nothing else\n", "comment.ttir: there is no kernel (a tt.func) in it"),
        ("latin.ttir", b"module {\n \xff\xfe }", "latin.ttir:2:2: error: "),
        ("folder.ttir", None, "folder.ttir': Is a directory"),
        ("name\udcff.ttir", b"module {}", "the name of a file must be UTF-8"),
    ],
)
def test_files_without_a_kernel(tmp_path, capsys, command, status, name, data, message):
    path = tmp_path / name
    path.mkdir() if data is None else path.write_bytes(data)
    assert main([command, str(path)]) == status
    err = capsys.readouterr().err
    assert message in err and "Success" not in err


@pytest.mark.parametrize("command", ["check", "residency"])
def test_ttir_is_judged_without_triton(ttir, command):
    code = (
        "import sys; sys.modules['triton'] = None; from spine_triton.__main__ import main; sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run([sys.executable, "-c", code, command, ttir(64)], capture_output=True, text=True)
    assert done.returncode == 0 and "fits" in done.stdout, done.stderr


def test_check_goes_on_after_a_file_without_a_kernel(tmp_path, ttir, capsys):
    (tmp_path / "empty.ttir").write_text("")
    assert main(["check", str(tmp_path / "empty.ttir"), ttir(64)]) == 2
    assert "fits host" in capsys.readouterr().out


@pytest.mark.parametrize(
    "data,message",
    [
        (b'{"name": "\xff"}', "byte 10 is not UTF-8"),
        (b"[" * 100000, "too many brackets in each other"),
        (b'{"name": "t", "scratchpad_bytes": 1' + b"0" * 400 + b"}", "'scratchpad_bytes' must be an integer"),
        (b"", "not valid JSON"),
    ],
)
def test_descriptions_of_targets_that_are_none(ttir, tmp_path, capsys, data, message):
    (tmp_path / "t.json").write_bytes(data)
    assert main(["check", ttir(64), "--target", str(tmp_path / "t.json")]) == 2
    err = capsys.readouterr().err
    assert f"{tmp_path / 't.json'}: " in err and message in err


def run_command(*arguments, **pipes):
    command = [sys.executable, "-W", "ignore", "-m", "spine_triton", *arguments]
    return subprocess.run(command, stderr=subprocess.PIPE, text=True, **pipes)


@pytest.mark.parametrize("arguments", [("targets",), ("--version",), ("--help",), ("check", "{ttir}")])
def test_output_that_cannot_be_written(ttir, arguments):
    arguments = [argument.format(ttir=ttir(64)) for argument in arguments]
    with open("/dev/full", "w") as full:
        done = run_command(*arguments, stdout=full)
    assert (done.returncode, done.stderr) == (2, "spine-triton: writing the output: No space left on device\n")


@pytest.mark.parametrize("arguments", ["targets", "--version", "--help", "residency k.ttir", "export --into x"])
def test_output_that_is_closed(arguments):
    """As with `>&-`."""
    command = [sys.executable, "-W", "ignore", "-m", "spine_triton", *arguments.split()]
    done = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", *command], stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (2, "spine-triton: writing the output: Bad file descriptor\n")


def test_report_of_an_export_that_cannot_be_written(monkeypatch, capsys):
    from spine_triton import __main__

    class Full(io.StringIO):
        def flush(self):
            raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(sys, "stdout", Full())
    with pytest.raises(OSError, match="No space left"):
        __main__._report_export(["a.cpp"])
    assert "the export is committed" in capsys.readouterr().err
    with pytest.raises(OSError, match="No space left"):
        __main__._report_export([])
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("command", ["check", "residency"])
def test_settings_of_the_environment(ttir, monkeypatch, capsys, command):
    """As for kernels: an option has the last word."""
    path = ttir(64)
    monkeypatch.setenv("SPINE_TRITON_TARGET", "spacemit-a100")
    assert main([command, path]) == 0
    assert "spacemit-a100" in capsys.readouterr().out
    monkeypatch.setenv("SPINE_TRITON_SCRATCHPAD_BYTES", "1024")
    assert main([command, path]) == 1
    assert main([command, path, "--scratchpad-bytes", "16384", "--target", "host"]) == 0
    assert "host" in capsys.readouterr().out
    monkeypatch.setenv("SPINE_TRITON_RESIDENCY_POLICY", "none")
    assert main([command, path]) == 2
    assert "SPINE_TRITON_RESIDENCY_POLICY must be one of" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments", [("targets", "-v"), ("doctor",), ("residency", "{ttir}"), ("residency", "{ttir}", "--json")]
)
def test_reader_that_has_enough(ttir, arguments):
    """As with `| head -1`."""
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = run_command(*(argument.format(ttir=ttir(64)) for argument in arguments), stdout=writing)
    finally:
        os.close(writing)
    assert done.stderr == "" and done.returncode == 141


def test_unknown_target(ttir, capsys):
    assert main(["check", ttir(64), "--target", "gpu"]) == 2
    assert "unknown target 'gpu'" in capsys.readouterr().err


def doctor(capsys):
    """The exit status of `spine-triton doctor`, its lines by name, and the commands below them."""
    status = main(["doctor"])
    lines, fixes, name = {}, {}, None
    for line in capsys.readouterr().out.splitlines():
        if line.startswith(" "):
            fixes[name] = line.split("-> ")[1]
            continue
        name = line[:10].rstrip()
        lines[name] = tuple(line[10:].split(None, 1))
    return status, lines, fixes


def test_doctor(capsys):
    status, lines, _ = doctor(capsys)
    assert status == 0
    assert lines["triton"] == ("ok", triton.__version__)
    assert lines["numpy"] == ("ok", np.__version__)
    assert f"LLVM {versions()['llvm']}" in lines["extension"][1]
    assert "spacemit-a100" in lines["targets"][1]
    assert re.match(r"\d+ usable here, \d+ of host; \d+ threads run programs", lines["cores"][1])
    assert "residency: off" in lines["scratchpad"][1]
    assert os.environ["TRITON_CACHE_DIR"] in lines["cache"][1]
    assert lines["kernel"] == ("ok", "a test kernel computed the right result")


def test_doctor_beside_another_backend(monkeypatch, capsys):
    """Nothing is wrong with one that comes first: the page says so and how to choose."""
    monkeypatch.setitem(backends, standin_backend.NAME, standin_backend.BACKEND)
    monkeypatch.delenv("TRITON_DEFAULT_BACKEND", raising=False)
    driver = sys.modules["triton.runtime.driver"].driver
    monkeypatch.setattr(driver, "_active", standin_backend.StandInDriver())
    status, lines, _ = doctor(capsys)
    assert status == 0
    assert lines["backend"][1].endswith(
        "active spine_triton; TRITON_DEFAULT_BACKEND=spine or spine_triton.activate() makes it spine"
    )
    assert lines["kernel"] == ("ok", "a test kernel computed the right result")
    assert isinstance(driver.active, standin_backend.StandInDriver)


def test_doctor_of_a_target_with_a_scratchpad(monkeypatch, capsys):
    monkeypatch.setenv("SPINE_TRITON_TARGET", "spacemit-a100")
    monkeypatch.setenv("SPINE_TRITON_RUNNER", "qemu")
    _, lines, _ = doctor(capsys)
    assert lines["target"][1] == "spacemit-a100 generic-rv64, vectors of 1024 bits, run by qemu"
    assert lines["scratchpad"][1].startswith("384 KiB per core of a scratchpad")
    assert "residency: error" in lines["scratchpad"][1]


def test_doctor_runs_a_kernel_for_each_emulated_target(qemu, capsys):
    status, lines, fixes = doctor(capsys)
    assert status == 0 and "qemu" not in fixes
    assert re.search(r"version \d+\.\d+", lines["qemu"][1])
    assert lines["runner"][1].endswith("spine-runner-riscv64")
    assert lines["in qemu"][0] == "ok"
    assert all(name in lines["in qemu"][1] for name in ("rv64gcv", "spacemit-a100", "spacemit-x60"))


def test_doctor_says_what_is_wrong(monkeypatch, capsys):
    monkeypatch.setenv("SPINE_TRITON_TARGET", "gpu")
    status, lines, _ = doctor(capsys)
    assert status == 1
    assert lines["target"][0] == "failed" and lines["target"][1].startswith("unknown target 'gpu'")
    assert lines["targets"][0] == "ok"


def test_doctor_of_a_default_backend_that_is_not_there(monkeypatch, capsys):
    monkeypatch.setenv("TRITON_DEFAULT_BACKEND", "zz")
    status, lines, fixes = doctor(capsys)
    assert status == 1 and lines["backend"][0] == "failed" and "TRITON_DEFAULT_BACKEND=zz" in lines["backend"][1]
    assert fixes["backend"] == "export TRITON_DEFAULT_BACKEND=spine"


@pytest.mark.parametrize("number", ["x", "-5", "0", "1.5", "1025"])
def test_doctor_of_a_number_of_threads_that_is_none(monkeypatch, capsys, number):
    monkeypatch.setenv("SPINE_TRITON_NUM_THREADS", number)
    status, lines, fixes = doctor(capsys)
    assert status == 1 and lines["cores"][0] == "failed"
    assert f"SPINE_TRITON_NUM_THREADS must be a whole number from 1 to 1024, not {number!r}" in lines["cores"][1]
    assert fixes["cores"] == "unset SPINE_TRITON_NUM_THREADS"


def test_warning_of_a_number_of_threads_that_is_none(monkeypatch):
    from spine_triton import options

    options.warn_of_num_threads.cache_clear()
    monkeypatch.setenv("SPINE_TRITON_NUM_THREADS", "x")
    with pytest.warns(RuntimeWarning, match="SPINE_TRITON_NUM_THREADS must be") as warned:
        options.warn_of_num_threads()
        options.warn_of_num_threads()
    assert len(warned) == 1
    options.warn_of_num_threads.cache_clear()
    for right in ("", "1", " +5", "1024"):
        monkeypatch.setenv("SPINE_TRITON_NUM_THREADS", right)
        assert options.wrong_num_threads() == ""


def test_doctor_names_the_command_for_what_is_missing(monkeypatch, capsys):
    """Neither QEMU nor the runner nor torch: nothing of it is needed. A Triton that is too new is."""
    from spine_triton.runners import qemu

    monkeypatch.setattr(qemu, "PROGRAM", "no-such-program")
    monkeypatch.setattr(qemu, "RUNNER", "no-such-runner")
    qemu.program_path.cache_clear()
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setattr(triton, "__version__", "9.0.0")
    try:
        status, lines, fixes = doctor(capsys)
    finally:
        qemu.program_path.cache_clear()
    assert status == 1
    assert lines["triton"][0] == "failed" and fixes["triton"] == "pip install 'triton>=3.6,<3.8'"
    assert lines["torch"][0] == "absent" and fixes["torch"] == "pip install torch"
    assert lines["qemu"][0] == "absent" and "apt-get install qemu-user" in fixes["qemu"]
    assert lines["runner"][0] == "absent" and "make build" in fixes["runner"]
    assert lines["in qemu"] == ("absent", "needs both lines above")


def test_doctor_without_triton():
    """It is what one asks what is missing. Nothing else that the commands do needs Triton."""
    code = (
        "import sys; sys.modules['triton'] = None; from spine_triton.__main__ import main; sys.exit(main(['doctor']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    assert re.search(r"^extension  ok ", done.stdout, re.M)
    assert re.search(r"^triton     missing .*\n +-> pip install 'triton>=3.6,<3.8'$", done.stdout, re.M)
    assert re.search(r"^target     ok ", done.stdout, re.M)


def test_installed_command():
    done = subprocess.run([sys.executable, "-m", "spine_triton", "--version"], capture_output=True, text=True)
    assert done.stdout.startswith("spine-triton ")
