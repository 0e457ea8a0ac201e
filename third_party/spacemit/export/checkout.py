# ===- checkout.py - One commit in someone's checkout, or nothing ----------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""Writes files into a git checkout and commits them, as a whole or not at all.

Whatever goes wrong on the way (a hook that rejects, a folder that cannot be written, Ctrl-C), the files, the index and
HEAD are then what they were. Files that git does not know are never written to, replaced or removed.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import signal
import stat
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath


class ExportError(ValueError):
    """The checkout, or this project, is not in a state to export from or to."""


# --- git ------------------------------------------------------------------------------------------------------------


_ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextlib.contextmanager
def _without_interrupts() -> Iterator[None]:
    """Holds back what would interrupt this process and those that it starts."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _ENDS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# What a git that runs us (in a hook, in `git rebase --exec`) says about its own repository.
_OF_ANOTHER_REPOSITORY = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_INDEX_FILE",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_WORK_TREE",
)


def _communicate(process: subprocess.Popen, data: bytes) -> tuple[bytes, bytes]:
    """What the process writes. If we are interrupted, it is given the time to remove its locks."""
    try:
        return process.communicate(data)
    except BaseException:
        with _without_interrupts():
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
        raise


def git_bytes(folder: Path, *arguments: str, data: bytes = b"") -> bytes:
    """The output of a git command that reads `data`. Raises ExportError with git's own message."""
    environment = {name: value for name, value in os.environ.items() if name not in _OF_ANOTHER_REPOSITORY}
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    try:
        process = subprocess.Popen(["git", "-C", os.fspath(folder), *arguments], env=environment, **pipes)
    except OSError as e:
        raise ExportError(f"git cannot be run: {e.strerror}; the export is a commit and needs it on PATH") from None
    with process:
        out, err = _communicate(process, data)
    if process.returncode:
        text = (err.strip() or out.strip()).decode(errors="replace") or f"it ended with {process.returncode}"
        name = next(a for a in arguments if not a.startswith("-"))
        raise ExportError(f"git {name} in {folder}: {text}")
    return out


def git(folder: Path, *arguments: str, data: bytes = b"") -> str:
    """As `git_bytes`, as text without the newline at its end. Names of files keep their bytes."""
    return git_bytes(folder, *arguments, data=data).decode(errors="surrogateescape").removesuffix("\n")


# Files of git's that make the next commit one of an operation that has not ended.
_IN_PROGRESS = {"MERGE_HEAD": "a merge", "CHERRY_PICK_HEAD": "a cherry-pick", "REVERT_HEAD": "a revert"}


class Checkout:
    """A git working tree of the user's."""

    def __init__(self, folder: Path):
        self.root = Path(git(folder, "rev-parse", "--show-toplevel"))
        self.named = folder.resolve()

    def git(self, *arguments: str, data: bytes = b"") -> str:
        return git(self.root, *arguments, data=data)

    def git_file(self, name: str) -> Path:
        """A file in git's own folder, which for worktrees and submodules is elsewhere."""
        return self.root / self.git("rev-parse", "--git-path", name)

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """No other export goes into this checkout meanwhile."""
        descriptor = os.open(self.root, os.O_RDONLY)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise ExportError(f"{self.root}: another export is at work there") from None
            yield
        finally:
            os.close(descriptor)

    def require_ready(self) -> None:
        """Raises ExportError if something is uncommitted or could not be committed."""
        if dirty := self.git("status", "--porcelain", "--untracked-files=normal"):
            raise ExportError(f"{self.root} has uncommitted changes; commit or stash them first:\n{dirty}")
        for name, what in _IN_PROGRESS.items():
            if self.git_file(name).exists():
                raise ExportError(f"{self.root}: {what} is in progress; end it first")
        self.git("var", "GIT_AUTHOR_IDENT")  # both fail if there is nobody to commit as
        self.git("var", "GIT_COMMITTER_IDENT")

    def head(self) -> str:
        try:
            return self.git("rev-parse", "--verify", "HEAD")
        except ExportError:
            raise ExportError(f"{self.root} has no commit yet: is this a spine-triton checkout?") from None

    def tree(self) -> dict[str, str]:
        """The files of HEAD and the ids of their contents."""
        entries = self.git("ls-tree", "-r", "-z", "--full-tree", "HEAD").split("\0")
        pairs = (entry.split("\t", 1) for entry in entries if entry)
        return {path: facts.split()[2] for facts, path in pairs}

    def committed(self, path: str) -> bytes:
        """The content of a file of HEAD."""
        return git_bytes(self.root, "cat-file", "blob", f"HEAD:{path}")

    def id_of(self, path: str, data: bytes) -> str:
        """The id that `data` has if it is committed at `path`: line endings and filters are as the checkout says."""
        return self.git("hash-object", "--stdin", f"--path={path}", data=data)

    def ids_of_files(self, paths: list[str]) -> dict[str, str]:
        """The ids that the files have if they are committed as they are."""
        ids = self.git("hash-object", "--stdin-paths", data="".join(f"{p}\n" for p in paths).encode()).split()
        return dict(zip(paths, ids, strict=True))

    def place(self, path: str) -> Path:
        """Where a file is, or can be put. Raises ExportError if a link leads elsewhere or something is in the way."""
        at = self.root
        *folders, name = PurePosixPath(path).parts
        for folder in folders:
            at /= folder
            self._refuse_link(at)
            if os.path.lexists(at) and not at.is_dir():
                raise ExportError(f"{at} is in the way: a folder is to be there")
            if os.path.lexists(at / ".git"):
                raise ExportError(f"{at} is a repository of its own; export into that one")
        at /= name
        self._refuse_link(at)
        if os.path.lexists(at) and not at.is_file():
            raise ExportError(f"{at} is in the way: a file is to be there")
        return at

    @staticmethod
    def _refuse_link(path: Path) -> None:
        if path.is_symlink():
            raise ExportError(f"{path} is a symbolic link; nothing is written through links")

    @contextlib.contextmanager
    def transaction(self) -> Iterator[Transaction]:
        """Changes that are undone if the block does not reach its end."""
        with _ends_are_exceptions():
            changes = Transaction(self)
            try:
                yield changes
            except BaseException as e:
                with _without_interrupts():
                    left = changes.roll_back()
                if left:
                    text = f"{e}" or type(e).__name__
                    raise ExportError("\n  ".join([f"{text}\nThe export was undone, except:", *left])) from e
                if isinstance(e, OSError):
                    raise ExportError(f"{e.filename or self.root}: {e.strerror}; the export was undone") from e
                raise


# --- Changes --------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def _ends_are_exceptions() -> Iterator[None]:
    """The first signal that would end the process raises an exception; more of them disturb no undoing."""
    came = False

    def stop(number, frame):
        nonlocal came
        if not came:
            came = True
            raise KeyboardInterrupt if number == signal.SIGINT else SystemExit(128 + number)

    before = {}
    if threading.current_thread() is threading.main_thread():
        handlers = {number: signal.getsignal(number) for number in _ENDS}
        before = {n: h for n, h in handlers.items() if h in (signal.SIG_DFL, signal.default_int_handler)}
    for number in before:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@dataclass(frozen=True)
class _File:
    data: bytes
    mode: int

    @staticmethod
    def read(path: Path) -> _File | None:
        """The file at `path`; None if there is none."""
        if not os.path.lexists(path):
            return None
        return _File(path.read_bytes(), stat.S_IMODE(path.lstat().st_mode))

    def is_at(self, path: Path) -> bool:
        """Whether this very file is at `path`. What a link or a pipe leads to is not."""
        return path.is_file() and not path.is_symlink() and _File.read(path) == self


def _first_link(root: Path, path: Path) -> Path | None:
    """The first symbolic link from `root` down to `path`, itself included."""
    below = path.relative_to(root)
    on_the_way = [root / folder for folder in reversed(below.parents)] + [path]
    return next((at for at in on_the_way if at.is_symlink()), None)


def _replace_file(path: Path, data: bytes, mode: int | None) -> None:
    """Puts a new file in the place of `path`: other names of the old one keep what they have."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.export")
    try:
        with open(temporary, "xb") as f:
            f.write(data)
        if mode is not None:
            temporary.chmod(mode)
        temporary.replace(path)
    except OSError as e:
        e.filename = os.fspath(path)  # a write has none, and nobody knows the temporary one
        e.filename2 = None
        raise
    finally:
        temporary.unlink(missing_ok=True)


class Transaction:
    """What has been changed in a checkout that was clean, and how it was before."""

    def __init__(self, checkout: Checkout):
        self.checkout = checkout
        self.head = checkout.head()
        self.index_path = checkout.git_file("index")
        self.index = self.index_path.read_bytes()
        self.before: dict[Path, _File | None] = {}
        self.new_folders: list[Path] = []

    def write(self, path: str, data: bytes) -> None:
        at = self.checkout.place(path)
        self._make_folders(at.parent)
        # Noted first: an interrupt may come at any time.
        before = self.before[at] = _File.read(at)
        _replace_file(at, data, before.mode if before else None)

    def remove(self, path: str) -> None:
        at = self.checkout.place(path)
        self.before[at] = _File.read(at)
        at.unlink()
        for folder in at.parents:
            if folder == self.checkout.root or any(folder.iterdir()):
                break
            folder.rmdir()

    def _make_folders(self, folder: Path) -> None:
        if not folder.is_dir():
            self._make_folders(folder.parent)
            self.new_folders.append(folder)
            folder.mkdir()

    def commit(self, message: str, written: dict[str, str], removed: list[str]) -> None:
        """Commits. `written` are the files with the ids that they must have then."""
        if written:
            self.checkout.git("add", "--force", "--", *written)
        if removed:
            self.checkout.git("rm", "-q", "--cached", "--", *removed)
        self.checkout.git("commit", "-q", "-F", "-", data=message.encode())
        committed = self.checkout.tree()
        others = [path for path, identity in written.items() if committed.get(path) != identity]
        others += [path for path in removed if path in committed]
        if others:
            raise ExportError(f"a hook of {self.checkout.root} changed what is exported: {', '.join(others)}")

    def committed(self) -> list[str]:
        """The paths that differ between what was HEAD and what is: ours, and what a hook has added."""
        names = self.checkout.git("diff-tree", "-r", "-z", "--no-renames", "--name-only", self.head, "HEAD")
        return sorted(name for name in names.split("\0") if name)

    # --- Undoing

    def roll_back(self) -> list[str]:
        """Undoes everything. Returns what could not be undone, in words.

        A hook may have put a link in the place of a folder: nothing is written or removed behind it.
        """
        left: list[str] = []
        self._attempt(left, self._restore_head)
        for path, file in reversed(self.before.items()):
            self._attempt(left, self._restore_file, path, file)
        for folder in reversed(self.new_folders):
            self._attempt(left, self._remove_folder, folder)
        self._attempt(left, self._restore_index)
        self._attempt(left, self._restore_others)
        self._attempt(left, self._find_links, left)
        self._attempt(left, self._find_strangers, left)
        return left

    @staticmethod
    def _attempt(left: list[str], step, *arguments) -> None:
        try:
            step(*arguments)
        except (OSError, ExportError) as e:
            left.append(f"{e}")

    def _restore_head(self) -> None:
        """Only an interrupt right behind the commit, or a hook, makes this necessary."""
        now = self.checkout.head()
        if now != self.head:
            self.checkout.git("update-ref", "-m", "export: undone", "HEAD", self.head, now)

    def _link_to(self, folder: Path) -> Path | None:
        return _first_link(self.checkout.root, folder)

    def _restore_file(self, path: Path, file: _File | None) -> None:
        # A link at `path` itself is replaced or removed; it is in the place of a file of ours.
        if self._link_to(path.parent):
            return  # git restores what is in HEAD, and the link is named later if it is still there
        if file is None:
            path.unlink(missing_ok=True)
        elif not file.is_at(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            _replace_file(path, file.data, file.mode)

    def _remove_folder(self, folder: Path) -> None:
        if self._link_to(folder):
            return
        # Not there: the interrupt came before it was made. Not empty: a stranger, who is named later.
        with contextlib.suppress(FileNotFoundError):
            if not any(folder.iterdir()):
                folder.rmdir()

    def _restore_index(self) -> None:
        if self.index_path.read_bytes() != self.index:
            _replace_file(self.index_path, self.index, stat.S_IMODE(self.index_path.stat().st_mode))

    def _restore_others(self) -> None:
        """Files that a hook changed. All were as in HEAD."""
        entries = self.checkout.git("status", "--porcelain", "-z", "--no-renames", "--untracked-files=no").split("\0")
        paths = [entry[3:] for entry in entries if entry]
        if paths:
            self.checkout.git("--literal-pathspecs", "checkout", "-q", "HEAD", "--", *paths)

    def _find_links(self, left: list[str]) -> None:
        """Links of a hook's in the places of folders, also where git ignores them."""
        folders = [path.parent for path in self.before] + self.new_folders
        links = {self._link_to(folder) for folder in folders} - {None}
        left.extend(
            f"{link} is a symbolic link now; it and what is behind it were not touched" for link in sorted(links)
        )

    def _find_strangers(self, left: list[str]) -> None:
        """What a hook has left behind is not ours to remove."""
        entries = self.checkout.git("status", "--porcelain", "--untracked-files=normal").splitlines()
        left.extend(f"{self.checkout.root}: {entry}" for entry in entries)
