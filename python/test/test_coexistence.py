# ===- test_coexistence.py - Beside another backend for CPUs ---------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""On SpacemiT's boards the Triton that is there brings a backend `spine_triton`, which claims the target `cpu`. The
stand-in plays that part."""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import standin_backend
import triton
from kernels import add_one
from triton.backends import backends
from triton.backends.compiler import GPUTarget
from triton.compiler import make_backend

import spine_triton
from spine_triton.backend.compiler import SpineBackend
from spine_triton.backend.driver import SpineDriver

CPU = GPUTarget("cpu", "x86_64", 0)


@pytest.fixture
def standin(monkeypatch):
    monkeypatch.setitem(backends, standin_backend.NAME, standin_backend.BACKEND)
    standin_backend.launches.clear()
    return standin_backend


@pytest.fixture
def nothing_chosen(monkeypatch):
    """A process in which no driver has been made yet and none was asked for."""
    driver = sys.modules["triton.runtime.driver"].driver
    monkeypatch.setattr(driver, "_default", None)
    monkeypatch.setattr(driver, "_active", None)
    monkeypatch.delenv("TRITON_DEFAULT_BACKEND", raising=False)
    return driver


def arrays():
    x = np.arange(100, dtype=np.float32)
    return x, np.zeros_like(x)


def launch(x, y):
    add_one[(1,)](x, y, 100, BLOCK=128)


def test_alone_we_are_the_default_and_claim_cpu(nothing_chosen):
    assert isinstance(nothing_chosen.active, SpineDriver)
    assert isinstance(make_backend(CPU), SpineBackend)
    assert make_backend(CPU).target == GPUTarget("spine", "host", 0)


def test_the_other_one_is_the_default_and_keeps_cpu(standin, nothing_chosen):
    assert isinstance(nothing_chosen.active, standin.StandInDriver)
    assert isinstance(make_backend(CPU), standin.StandInCompiler)
    assert isinstance(make_backend(GPUTarget("spine", "host", 0)), SpineBackend)


from_3_7 = pytest.mark.skipif(
    triton.__version__.startswith("3.6."), reason="Triton reads TRITON_DEFAULT_BACKEND from 3.7 on"
)


@from_3_7
def test_chosen_by_the_environment(standin, nothing_chosen, monkeypatch):
    monkeypatch.setenv("TRITON_DEFAULT_BACKEND", "spine")
    assert isinstance(nothing_chosen.active, SpineDriver)
    monkeypatch.setenv("TRITON_DEFAULT_BACKEND", "spine_triton")
    assert not SpineDriver.is_active()


def test_chosen_by_a_call(standin, nothing_chosen):
    before = nothing_chosen.active
    x, y = arrays()
    with spine_triton.activate():
        assert isinstance(nothing_chosen.active, SpineDriver)
        launch(x, y)
    assert np.array_equal(y, x + 1)
    assert nothing_chosen.active is before


def test_activation_before_any_driver_is_made(standin, nothing_chosen):
    activation = spine_triton.activate()
    assert isinstance(nothing_chosen.active, SpineDriver)
    activation.restore()
    activation.restore()
    assert isinstance(nothing_chosen.active, standin.StandInDriver)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2), (1, 2, 0)])
def test_activations_end_in_any_order(standin, nothing_chosen, order):
    before = nothing_chosen.active
    activations = [spine_triton.activate() for _ in order]
    for number in order:
        assert isinstance(nothing_chosen.active, SpineDriver)
        activations[number].restore()
        activations[number].restore()
    assert nothing_chosen.active is before


def test_activations_of_threads(standin, nothing_chosen):
    before = nothing_chosen.active
    x, _ = arrays()
    together = threading.Barrier(4)

    def work(number):
        mine = np.zeros_like(x)
        together.wait()
        for _ in range(5):
            with spine_triton.activate():
                launch(x, mine)
            assert np.array_equal(mine, x + 1)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert nothing_chosen.active is before


def test_both_in_turn_in_one_process(standin, nothing_chosen, fresh_cache):
    """One kernel, first by one, then by the other, and again: each compiles it once and runs its own code."""
    torch = pytest.importorskip("torch")
    x, y = torch.arange(100, dtype=torch.float32), torch.zeros(100)
    for turn in range(2):
        launch(x, y)
        assert standin.launches == ["add_one"] * (turn + 1)
        assert not y.any()
        with spine_triton.activate():
            launch(x, y)
        assert torch.equal(y, x + 1)
        assert standin.launches == ["add_one"] * (turn + 1)
        y.zero_()


def test_two_backends_that_both_step_back(standin, nothing_chosen, monkeypatch):
    """Neither asks the other for ever."""
    monkeypatch.setattr(
        standin.StandInDriver, "is_active", classmethod(lambda cls: not backends["spine"].driver.is_active())
    )
    assert SpineDriver.is_active() in (True, False)
    monkeypatch.setattr(
        standin.StandInCompiler,
        "supports_target",
        staticmethod(lambda target: not backends["spine"].compiler.supports_target(target)),
    )
    assert SpineBackend.supports_target(CPU) in (True, False)


@from_3_7
def test_triton_names_the_choice_when_asked_for_what_is_not_there(nothing_chosen, monkeypatch):
    monkeypatch.setenv("TRITON_DEFAULT_BACKEND", "spine_triton")
    with pytest.raises(RuntimeError, match=r"Unknown backend device 'spine_triton'.*spine"):
        _ = triton.runtime.driver.active
