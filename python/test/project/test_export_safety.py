"""`spine-triton export` harms nothing: it knows its own files from the user's, and a failure leaves no trace."""

import contextlib
import os
import shutil
import signal
import stat
import subprocess
import sys
import threading

import pytest
from exporting import LAYOUT, ROOT, commit_all, commits, edits, export, git, make_checkout, make_clone, transactions

from spine_triton.__main__ import main

MANIFEST = export.MANIFEST
REBASE = "lib/SpineTiles/Transforms/RebaseTensorPtr/RebaseTensorPtr.cpp"


@pytest.fixture
def checkout(tmp_path):
    return make_checkout(tmp_path / "spine-triton")


def files_of(folder):
    """Everything in a folder but git's own, with contents, links and permissions."""
    found = {}
    for path in sorted(folder.rglob("*")):
        name = str(path.relative_to(folder))
        if name == ".git" or name.startswith(".git/"):
            continue
        mode = stat.S_IMODE(path.lstat().st_mode)
        content = os.readlink(path) if path.is_symlink() else path.read_bytes() if path.is_file() else None
        found[name] = (mode, content)
    return found


def state(folder):
    head = git(folder, "rev-parse", "HEAD"), git(folder, "for-each-ref")
    return files_of(folder), git(folder, "ls-files", "--stage", "-v"), head, git(folder, "status", "--porcelain")


@contextlib.contextmanager
def refused(folder, pattern, error=export.ExportError):
    """The block is refused, and nothing has changed then."""
    before = state(folder)
    with pytest.raises(error, match=pattern):
        yield
    after = state(folder)
    for was, now in zip(before, after, strict=True):
        assert was == now


def hook(checkout, name, script):
    path = checkout / ".git/hooks" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("#!/bin/sh\n" + script)
    path.chmod(0o755)


# --- What is the user's ---------------------------------------------------------------------------------------------


def test_files_of_the_user_in_our_folders_stay(checkout):
    """Ignored or tracked, before and after a first export."""
    (checkout / ".gitignore").write_text("*.o\nbuild/\n")
    kept = {}
    for folder in ("include/spine-triton", "lib/SpineTiles/Transforms", "test/SpineTiles/build"):
        for name in ("notes.o", "build/cache.bin", "theirs.h"):
            path = checkout / folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"{name} in {folder}\n")
            kept[path] = path.read_bytes()
    commit_all(checkout, "files of the user")
    assert export.export(ROOT, checkout)
    for _ in range(2):
        assert {path: path.read_bytes() for path in kept} == kept
        assert export.export(ROOT, checkout) == []


def export_older(checkout, tmp_path):
    """An export of an older version, which had a file more."""
    older = make_clone(tmp_path / "older")
    (older / "lib/Transforms/Gone.cpp").write_text("// not there any more\n")
    export.export(older, checkout)


def test_update_removes_only_what_an_export_wrote(checkout, tmp_path):
    export_older(checkout, tmp_path)
    (checkout / "lib/SpineTiles/Transforms/Theirs.cpp").write_text("// beside it\n")
    commit_all(checkout, "a file beside the exported ones")
    assert "lib/SpineTiles/Transforms/Gone.cpp" in export.export(ROOT, checkout)
    assert (checkout / "lib/SpineTiles/Transforms/Theirs.cpp").exists()


@pytest.mark.parametrize("path", [REBASE, "include/spine-triton/CMakeLists.txt", MANIFEST])
@pytest.mark.parametrize("ignored", [False, True])
def test_file_in_the_place_of_one_of_ours(checkout, path, ignored):
    if ignored:
        (checkout / ".gitignore").write_text(f"/{path}\n")
    (checkout / path).parent.mkdir(parents=True, exist_ok=True)
    (checkout / path).write_text("theirs\n" if path != MANIFEST or ignored else "# theirs\n1234 a\n")
    commit_all(checkout, "in the way")
    with refused(checkout, r"(?s)(no export wrote them; move them away:.*|no line of an export.*)"):
        export.export(ROOT, checkout)


@pytest.mark.parametrize("ignored", [False, True])
@pytest.mark.parametrize("path,kind", [("lib/SpineTiles", "file"), ("test/SpineTiles", "file"), (REBASE, "folder")])
def test_something_in_the_way(checkout, path, kind, ignored):
    if ignored:
        (checkout / ".gitignore").write_text(f"/{path}\n")
    at = checkout / path / "file" if kind == "folder" else checkout / path
    at.parent.mkdir(parents=True, exist_ok=True)
    at.write_text("theirs\n")
    commit_all(checkout, "in the way")
    wanted = "folder" if kind == "file" else "file"
    with refused(checkout, rf"{path} is in the way: a {wanted} is to be there"):
        export.export(ROOT, checkout)


@pytest.mark.parametrize(
    "link", ["lib", "lib/SpineTiles", "include/spine-triton", REBASE, MANIFEST, "backend/compiler.py", "backend"]
)
def test_nothing_is_written_through_links(checkout, tmp_path, link):
    outside = tmp_path / "outside"
    at = checkout / link
    if at.exists():
        shutil.move(at, outside)
    elif at.suffix:
        outside.write_text("theirs\n")
    else:
        outside.mkdir()
    at.parent.mkdir(parents=True, exist_ok=True)
    at.symlink_to(outside)
    commit_all(checkout, "a link")
    before = files_of(tmp_path)
    with refused(checkout, rf"{link} is a symbolic link"):
        export.export(ROOT, checkout)
    assert files_of(tmp_path) == before


def test_hard_links_are_not_written_through(checkout, tmp_path):
    other = tmp_path / "other-name"
    os.link(checkout / "lib/CMakeLists.txt", other)
    export.export(ROOT, checkout)
    assert other.read_text() == LAYOUT["lib/CMakeLists.txt"]


@pytest.mark.parametrize("data", ["// changed by the user\n", None])
def test_changes_of_exported_files_are_not_lost(checkout, tmp_path, data):
    export.export(ROOT, checkout)
    exported = git(checkout, "rev-parse", "--short", "HEAD").strip()
    if data is None:
        (checkout / REBASE).unlink()
    else:
        (checkout / REBASE).write_text(data)
    commit_all(checkout, "changed")
    with refused(checkout, rf"changed there since.*git checkout {exported} -- FILE.*\n  {REBASE}$"):
        export.export(ROOT, checkout)
    git(checkout, "checkout", "-q", exported, "--", REBASE)
    git(checkout, "commit", "-q", "-m", "as it was")
    assert export.export(ROOT, checkout) == []


def test_changes_that_the_export_brings_as_well_are_fine(checkout, tmp_path):
    older = make_clone(tmp_path / "older")
    ours = older / REBASE.replace("SpineTiles/", "")
    new = ours.read_bytes()
    ours.write_text("// old\n")
    export.export(older, checkout)
    (checkout / REBASE).write_bytes(new)
    commit_all(checkout, "the same change, made there")
    assert export.export(ROOT, checkout) == [MANIFEST]


def test_stale_file_with_changes_is_not_removed(checkout, tmp_path):
    export_older(checkout, tmp_path)
    (checkout / "lib/SpineTiles/Transforms/Gone.cpp").write_text("// used by them\n")
    commit_all(checkout, "changed")
    with refused(checkout, "changed there since"):
        export.export(ROOT, checkout)
    git(checkout, "rm", "-q", "lib/SpineTiles/Transforms/Gone.cpp")
    git(checkout, "commit", "-q", "-m", "removed")
    assert "lib/SpineTiles/Transforms/Gone.cpp" not in export.export(ROOT, checkout)


@pytest.mark.parametrize(
    "line", ["nonsense", "0" * 40 + " backend/compiler.py", "0" * 40 + " lib/SpineTiles/../../x", "<<<<<<< HEAD"]
)
def test_manifest_that_is_none(checkout, line):
    export.export(ROOT, checkout)
    with open(checkout / MANIFEST, "a") as f:
        f.write(f"{line}\n")
    commit_all(checkout, "changed")
    with refused(checkout, rf"{MANIFEST}:\d+: this is no line of an export: .*"):
        export.export(ROOT, checkout)


def test_change_that_git_was_told_to_overlook(checkout):
    git(checkout, "update-index", "--assume-unchanged", "lib/CMakeLists.txt")
    with open(checkout / "lib/CMakeLists.txt", "a") as f:
        f.write("\n# only here\n")
    with refused(checkout, r"differ from HEAD.*\n  lib/CMakeLists\.txt"):
        export.export(ROOT, checkout)


# --- Bytes ----------------------------------------------------------------------------------------------------------


def rewrite(checkout, change):
    """Changes the bytes of the files that the export edits, and commits them."""
    for path in {edit.path for edit in edits.EDITS}:
        (checkout / path).write_bytes(change((checkout / path).read_bytes()))
    commit_all(checkout, "rewritten")


def added_lines(checkout):
    """The lines that the export adds to files of theirs. Every other byte is as before."""
    for path in {edit.path for edit in edits.EDITS}:
        before = subprocess.run(["git", "-C", checkout, "show", f"HEAD^:{path}"], check=True, capture_output=True)
        old, new = before.stdout.splitlines(keepends=True), (checkout / path).read_bytes().splitlines(keepends=True)
        if not old[-1].endswith((b"\n", b"\r")):
            old[-1] += b"\r\n" if b"\r\n" in old[0] else b"\n"
        for line in new:
            if old and line == old[0]:
                old.pop(0)
            else:
                yield path, line
        assert not old, path


def test_line_endings_stay(checkout):
    rewrite(checkout, lambda data: data.replace(b"\n", b"\r\n"))
    export.export(ROOT, checkout)
    added = list(added_lines(checkout))
    assert len(added) == sum(edit.lines.count("\n") for edit in edits.EDITS)
    single = [path for path in LAYOUT if path.endswith("CMakeLists.txt") and "\n" not in LAYOUT[path]]
    assert all(line.endswith(b"\r\n") for path, line in added if path not in single)
    assert export.export(ROOT, checkout) == []


def test_encodings_stay(checkout):
    comment = "Größe".encode("latin-1")
    marks = {".py": b"# -*- coding: latin-1 -*- " + comment, ".txt": b"# " + comment, ".h": b"// " + comment}
    for path in {edit.path for edit in edits.EDITS}:
        data = (checkout / path).read_bytes()
        (checkout / path).write_bytes(marks[(checkout / path).suffix] + b"\n" + data)
    commit_all(checkout, "in Latin-1")
    export.export(ROOT, checkout)
    assert list(added_lines(checkout))
    assert export.export(ROOT, checkout) == []


def test_permissions_stay(checkout):
    (checkout / "backend/compiler.py").chmod(0o755)
    commit_all(checkout, "executable")
    export.export(ROOT, checkout)
    assert stat.S_IMODE((checkout / "backend/compiler.py").stat().st_mode) == 0o755


def test_checkout_that_converts_line_endings(checkout, tmp_path):
    """With core.autocrlf files end their lines otherwise than what is committed; that is no difference."""
    export.export(ROOT, checkout)
    clone = tmp_path / "clone"
    git(
        tmp_path,
        "clone",
        "-q",
        "-c",
        "core.autocrlf=true",
        "-c",
        "user.name=A",
        "-c",
        "user.email=a@b",
        checkout,
        clone,
    )
    assert b"\r\n" in (clone / REBASE).read_bytes()
    assert export.export(ROOT, clone) == []
    older = make_clone(tmp_path / "older")
    (older / REBASE.replace("SpineTiles/", "")).write_text("// another version\n")
    assert export.export(older, clone) == [REBASE, MANIFEST]
    assert git(clone, "status", "--porcelain") == ""
    assert export.export(ROOT, clone) == [REBASE, MANIFEST]


def test_checkout_that_filters_files(checkout):
    """What is committed differs from what lies there, as with large files that are kept elsewhere."""
    (checkout / ".gitattributes").write_text("*.mlir filter=upper\n*.h eol=crlf\n")
    git(checkout, "config", "filter.upper.clean", "tr a-z A-Z")
    git(checkout, "config", "filter.upper.required", "true")
    commit_all(checkout, "filters")
    said = export.export(ROOT, checkout)
    test = next(path for path in said if path.endswith(".mlir"))
    assert git(checkout, "show", f"HEAD:{test}") == (checkout / test).read_text().upper()
    assert export.export(ROOT, checkout) == []
    assert git(checkout, "status", "--porcelain") == ""


def test_edit_beside_lines_of_other_endings():
    edit = edits.Edit("f", r"^b$", "new\n")
    assert edit.apply(b"a\r\nb\nc\r\n") == b"a\r\nb\nnew\nc\r\n"
    assert edit.apply(b"a\nb\r\nc\n") == b"a\nb\r\nnew\r\nc\n"
    assert edit.apply(b"a\r\nb") == b"a\r\nb\r\nnew\r\n"
    assert edit.apply(b"b") == b"b\nnew\n"
    first = edits.Edit("f", r"^b$", "new\n", before=True)
    assert first.apply(b"b\r\nb\r\n") == b"new\r\nb\r\nb\r\n"
    for data in (b"b\r\nnew\r\n", b"b\nnew\n", b"b\nnew"):
        assert edit.apply(data) == data


@pytest.mark.parametrize("older", edits.OLDER_CHECK_TILES)
def test_lines_of_an_earlier_export_are_replaced(checkout, older):
    """They are not there twice."""
    export.export(ROOT, checkout)
    path = checkout / "backend/compiler.py"
    now = path.read_bytes()
    path.write_bytes(now.replace(edits.CHECK_TILES.encode(), older.encode()))
    assert path.read_bytes() != now
    commit_all(checkout, "as an earlier export wrote it")
    assert export.export(ROOT, checkout) == ["backend/compiler.py"]
    assert path.read_bytes() == now


def test_lines_of_ours_that_were_changed(checkout):
    export.export(ROOT, checkout)
    path = checkout / "backend/compiler.py"
    path.write_text(path.read_text().replace('"--cse",', '"--cse", "--their-pass",'))
    commit_all(checkout, "changed")
    with refused(checkout, r"compiler\.py:\d+: 'def _check_tiles_passes\(\):' is there, but not as an export wrote it"):
        export.export(ROOT, checkout)


# --- Failures leave no trace ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["pre-commit", "prepare-commit-msg", "commit-msg"])
def test_hook_that_rejects(checkout, name):
    (checkout / "lib/SpineTiles").mkdir()  # empty, and the user's
    hook(checkout, name, "echo not on a Friday; exit 1")
    with refused(checkout, "git commit in .*not on a Friday"):
        export.export(ROOT, checkout)


def test_hook_that_changes_files_and_rejects(checkout):
    hook(
        checkout, "pre-commit", f"echo x >> CMakeLists.txt; rm test/lit.cfg.py; echo y >> {REBASE}; git add -A; exit 1"
    )
    with refused(checkout, "git commit in"):
        export.export(ROOT, checkout)


def test_hook_that_leaves_a_file(checkout):
    """It is not ours to remove, and is named."""
    hook(checkout, "pre-commit", "echo report > report.txt; exit 1")
    with pytest.raises(export.ExportError, match=r"(?s)The export was undone, except:.*\?\? report\.txt"):
        export.export(ROOT, checkout)
    (checkout / "report.txt").unlink()
    assert git(checkout, "status", "--porcelain") == "" and commits(checkout) == ["theirs"]


@pytest.mark.parametrize("folder", ["lib", "lib/SpineTiles", "lib/SpineTiles/Transforms"])
@pytest.mark.parametrize("ignored", [False, True])
def test_hook_that_puts_a_link_in_the_place_of_a_folder(checkout, tmp_path, folder, ignored):
    """The undoing removes and writes nothing behind it: what is there is not part of the checkout."""
    if ignored:
        (checkout / ".gitignore").write_text("/lib/SpineTiles\n")
        commit_all(checkout, "ignores")
    outside = tmp_path / "outside"
    for part in (REBASE, "lib/CMakeLists.txt", "lib/Conversion/CMakeLists.txt", MANIFEST):
        if part.startswith(f"{folder}/"):
            path = outside / part.removeprefix(f"{folder}/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("precious\n")
    before = files_of(outside)
    hook(checkout, "pre-commit", f"rm -rf {folder}; ln -s {outside} {folder}; exit 1")
    if folder == "lib":  # it has files in HEAD, in whose favour git removes the link
        with refused(checkout, "git commit in"):
            export.export(ROOT, checkout)
    else:
        with pytest.raises(export.ExportError, match=rf"(?s)was undone, except:.*{folder} is a symbolic link now"):
            export.export(ROOT, checkout)
        (checkout / folder).unlink()
    assert files_of(outside) == before
    assert git(checkout, "status", "--porcelain") == ""


def test_hook_that_puts_a_link_in_the_place_of_a_file(checkout, tmp_path):
    """Also one to a file of the same content as the one that was there."""
    outside = tmp_path / "outside"
    outside.write_text(LAYOUT["lib/CMakeLists.txt"])
    links = "; ".join(f"ln -sf {outside} {path}" for path in (REBASE, "lib/CMakeLists.txt"))
    hook(checkout, "pre-commit", f"{links}; exit 1")
    with refused(checkout, "git commit in"):
        export.export(ROOT, checkout)
    assert outside.read_text() == LAYOUT["lib/CMakeLists.txt"]


def test_hook_that_changes_what_is_exported(checkout):
    hook(checkout, "pre-commit", f"echo '// formatted' >> {REBASE}; git add {REBASE}")
    with refused(checkout, f"a hook of .* changed what is exported: {REBASE}"):
        export.export(ROOT, checkout)


@pytest.mark.parametrize("name,change", [("extra.txt", "echo new >"), ("CMakeLists.txt", "echo '# more' >>")])
def test_hook_that_adds_to_the_commit(checkout, capsys, name, change):
    hook(checkout, "pre-commit", f"{change} {name}; git add {name}")
    assert main(["export", "--into", str(checkout)]) == 0
    *listed, last = capsys.readouterr().out.splitlines()
    assert f"{name} (by a hook of the checkout)" in listed and last == f"{len(listed)} files in one commit"
    assert sorted(line.split()[0] for line in listed) == sorted(
        git(checkout, "show", "--name-only", "--format=").split()
    )
    assert sum("(by a hook" in line for line in listed) == 1


def test_signature_that_fails(checkout):
    git(checkout, "config", "commit.gpgsign", "true")
    git(checkout, "config", "gpg.program", "false")
    with refused(checkout, "git commit in"):
        export.export(ROOT, checkout)


def test_nobody_to_commit_as(checkout, monkeypatch):
    for name in ("user.name", "user.email"):
        git(checkout, "config", "--unset", name)
    git(checkout, "config", "user.useConfigOnly", "true")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    for name in ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "EMAIL"):
        monkeypatch.delenv(name, raising=False)
    with refused(checkout, "git var in"):
        export.export(ROOT, checkout)


@pytest.mark.parametrize(
    "error", [PermissionError(13, "Permission denied", "there"), KeyboardInterrupt(), MemoryError()]
)
@pytest.mark.parametrize("number", [0, 5, -1])
def test_failure_while_files_are_written(checkout, tmp_path, monkeypatch, error, number):
    """The first, one in between, the last; of an update, which changes and removes files as well."""
    older = make_clone(tmp_path / "older")
    (older / "lib/Transforms/Gone").mkdir()
    (older / "lib/Transforms/Gone/Gone.cpp").write_text("// not there any more\n")
    (older / REBASE.replace("SpineTiles/", "")).write_text("// old\n")
    shutil.rmtree(older / "lib/Transforms/CheckResidency")
    export.export(older, checkout)
    written = []
    monkeypatch.setattr(transactions, "_replace_file", failing(written, transactions._replace_file, error, number, 5))
    if not isinstance(error, OSError):
        with refused(checkout, None, type(error)):
            export.export(ROOT, checkout)
    else:
        with refused(checkout, "there: Permission denied; the export was undone"):
            export.export(ROOT, checkout)


def test_full_disk_names_the_file(checkout, monkeypatch):
    """A write that fails does not say which file it was."""

    def full(name, mode):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(transactions, "open", full, raising=False)
    with refused(checkout, r"/spine-triton/\S+: No space left on device; the export was undone"):
        export.export(ROOT, checkout)


def failing(calls, function, error, number, last):
    """`function`, whose call of this number raises: before it has done anything or, if it is negative, after."""

    def call(*arguments):
        calls.append(arguments)
        if len(calls) - 1 == number:
            raise error
        function(*arguments)
        if number < 0 and len(calls) == last:
            raise error

    return call


def run_command(checkout, *, interrupt):
    """The command in a process of its own, which gets a signal as soon as a hook is at work."""
    command = [sys.executable, "-m", "spine_triton", "export", "--from", ROOT, "--into", checkout]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    marker = checkout.parent / "hook-runs"
    while not marker.exists() and process.poll() is None:
        threading.Event().wait(0.02)
    interrupt(process)
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def impatient(process):
    """Ctrl-C again and again."""
    for _ in range(20):
        os.killpg(process.pid, signal.SIGINT)
        threading.Event().wait(0.005)


WAIT = "touch ../hook-runs; sleep 5 > /dev/null 2>&1"


@pytest.mark.parametrize("when", ["pre-commit", "post-commit"])
@pytest.mark.parametrize(
    "interrupt,status",
    [
        (lambda process: os.killpg(process.pid, signal.SIGINT), 130),  # as a terminal does
        (lambda process: process.send_signal(signal.SIGINT), 130),
        (impatient, 130),
        (lambda process: process.send_signal(signal.SIGTERM), 143),
    ],
)
def test_interrupt(checkout, when, interrupt, status):
    hook(checkout, when, WAIT)
    before = state(checkout)
    returned, out, err = run_command(checkout, interrupt=interrupt)
    assert state(checkout) == before
    # An interrupt may come when all is done and Python is about to end: then it is what ends it.
    assert (returned, out) == (status, "") or (interrupt is impatient and returned == -signal.SIGINT), err
    assert "Traceback" not in err or returned == -signal.SIGINT
    assert not list((checkout / ".git").glob("*.lock"))
    (checkout / ".git/hooks" / when).unlink()
    assert export.export(ROOT, checkout)


# --- Circumstances --------------------------------------------------------------------------------------------------


def test_git_is_not_there(checkout, monkeypatch, capsys):
    monkeypatch.setenv("PATH", "/nowhere")
    assert main(["export", "--into", str(checkout)]) == 2
    err = capsys.readouterr().err
    assert err.startswith("spine-triton: git cannot be run: No such file") and err.count("\n") == 1


@pytest.mark.parametrize("into", ["", "missing", "file"])
def test_no_such_checkout(tmp_path, monkeypatch, capsys, into):
    """An empty name, as a variable that is not set gives, is not the current folder."""
    (tmp_path / "file").write_text("")
    monkeypatch.chdir(tmp_path)
    assert main(["export", "--into", into]) == 2
    err = capsys.readouterr().err
    assert err.startswith("spine-triton: ") and err.count("\n") == 1 and into in err


def test_from_another_folder(checkout, tmp_path, monkeypatch):
    elsewhere = tmp_path / "else where"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    assert main(["export", "--into", "../spine-triton/lib"]) == 0, "a folder of the checkout names it"
    assert len(commits(checkout)) == 2


def test_from_a_hook_of_another_repository(checkout, tmp_path, monkeypatch):
    """git tells its hooks which repository is theirs; it is not the one that was named."""
    other = make_checkout(tmp_path / "other")
    before = state(other)
    with monkeypatch.context() as patch:
        patch.setenv("GIT_DIR", str(other / ".git"))
        patch.setenv("GIT_WORK_TREE", str(other))
        patch.setenv("GIT_INDEX_FILE", str(other / ".git/index"))
        assert export.export(ROOT, checkout)
    assert state(other) == before and len(commits(checkout)) == 2


@pytest.mark.parametrize("name", ["with spaces in it ", "-dash", "größe", "a'b\"c$d"])
def test_odd_names(tmp_path, name):
    checkout = make_checkout(tmp_path / name)
    assert export.export(ROOT, checkout)
    assert git(checkout, "status", "--porcelain") == ""


def test_detached_head(checkout):
    git(checkout, "checkout", "-q", "--detach")
    assert export.export(ROOT, checkout)
    assert len(commits(checkout)) == 2
    hook(checkout, "pre-commit", "exit 1")
    (checkout / "CMakeLists.txt").write_text("# changed\n")
    git(checkout, "commit", "-q", "--no-verify", "-a", "-m", "another")
    assert export.export(ROOT, checkout) == []


@pytest.fixture
def worktree(checkout, tmp_path):
    git(checkout, "worktree", "add", "-q", tmp_path / "tree", "-b", "exported")
    return tmp_path / "tree"


@pytest.fixture
def submodule(checkout, tmp_path):
    parent = tmp_path / "parent"
    git(tmp_path, "init", "-q", parent)
    git(parent, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", checkout, "third_party/spine")
    folder = parent / "third_party/spine"
    git(folder, "config", "user.name", "A User")
    git(folder, "config", "user.email", "user@example.org")
    return folder


@pytest.mark.parametrize("kind", ["worktree", "submodule"])
def test_git_folder_elsewhere(request, checkout, kind):
    folder = request.getfixturevalue(kind)
    before = state(checkout)[0]
    hooks = folder / git(folder, "rev-parse", "--git-path", "hooks").strip()
    hooks.mkdir(exist_ok=True)
    (hooks / "pre-commit").write_text("#!/bin/sh\nexit 1\n")
    (hooks / "pre-commit").chmod(0o755)
    with refused(folder, "git commit in"):
        export.export(ROOT, folder)
    (hooks / "pre-commit").unlink()
    assert export.export(ROOT, folder)
    assert git(folder, "status", "--porcelain") == "" and len(commits(folder)) == 2
    assert state(checkout)[0] == before


def test_folder_that_is_another_repository(checkout):
    other = make_checkout(checkout / "lib/SpineTiles")
    git(checkout, "add", ".")
    git(checkout, "commit", "-q", "-m", "a repository in it")
    before = files_of(other)
    with refused(checkout, "lib/SpineTiles is a repository of its own"):
        export.export(ROOT, checkout)
    assert files_of(other) == before


def test_merge_in_progress(checkout):
    git(checkout, "checkout", "-q", "-b", "other")
    (checkout / "a.txt").write_text("a\n")
    commit_all(checkout, "other")
    git(checkout, "checkout", "-q", "-")
    git(checkout, "merge", "-q", "--no-commit", "--no-ff", "-s", "ours", "other")
    with refused(checkout, "a merge is in progress"):
        export.export(ROOT, checkout)


def test_sparse_checkout(checkout):
    """Where git does not want files, none are put."""
    git(checkout, "sparse-checkout", "set", "include", "lib", "backend", "tools")
    with refused(checkout, "git add in .*sparse"):
        export.export(ROOT, checkout)
    git(checkout, "sparse-checkout", "set", "include", "lib", "backend", "tools", "test")
    assert export.export(ROOT, checkout)


@pytest.mark.parametrize("setting", ["color.ui=always", "log.showSignature=true", "status.showUntrackedFiles=no"])
def test_settings_of_the_user(checkout, setting):
    git(checkout, "config", *setting.split("="))
    export.export(ROOT, checkout)
    (checkout / REBASE).write_text("// changed\n")
    git(checkout, "commit", "-q", "-a", "-m", "changed")
    with refused(checkout, r"`git checkout [0-9a-f]{7,} -- FILE`"):
        export.export(ROOT, checkout)
    (checkout / "new.txt").write_text("untracked\n")
    with refused(checkout, r"uncommitted changes"):
        export.export(ROOT, checkout)


def test_repository_without_a_commit(tmp_path):
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", "user.name", "A")
    git(tmp_path, "config", "user.email", "a@b")
    with pytest.raises(export.ExportError, match="has no commit yet"):
        export.export(ROOT, tmp_path)


def test_two_exports_at_once(checkout):
    with transactions.Checkout(checkout).locked(), refused(checkout, "another export is at work"):
        export.export(ROOT, checkout)
    assert export.export(ROOT, checkout)


def test_clone_of_ours_with_other_line_endings(checkout, tmp_path):
    clone = make_clone(tmp_path / "clone")
    for path in clone.rglob("*.*"):
        path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    export.export(clone, checkout)
    assert export.export(ROOT, checkout) == []


def test_only_what_git_knows_is_exported_from_a_clone(checkout, tmp_path):
    clone = make_clone(tmp_path / "clone")
    git(clone, "init", "-q")
    git(clone, "add", ".")
    (clone / "lib/Analysis/Untracked.cpp").write_text("// of an experiment\n")
    (clone / "lib/Analysis/Link.cpp").symlink_to("/etc/hostname")
    said = export.export(clone, checkout)
    assert REBASE in said and not [path for path in said if path.endswith(("Untracked.cpp", "Link.cpp"))]
    assert export.export(ROOT, checkout) == []


@pytest.mark.parametrize("tracked", [False, True])
@pytest.mark.parametrize("name", ["lib/Analysis/Link.cpp", "lib/Analysis", "lib/Transforms/Folder"])
def test_links_are_not_exported(checkout, tmp_path, name, tracked):
    clone = make_clone(tmp_path / "clone")
    outside = tmp_path / "outside"
    if (clone / name).exists():
        shutil.move(clone / name, outside)
    elif name.endswith(".cpp"):
        outside.write_text("// secret\n")
    else:
        outside.mkdir()
    (clone / name).symlink_to(outside)
    if tracked:
        git(clone, "init", "-q")
        git(clone, "add", ".")
    with refused(checkout, f"{name} is a symbolic link"):
        export.export(clone, checkout)


@pytest.mark.parametrize("name", ["a\nb.cpp", "a b.cpp", "größe.cpp", "a;b.cpp"])
def test_odd_names_are_not_exported(checkout, tmp_path, name):
    """The list of exported files and CMake's have them as they are."""
    clone = make_clone(tmp_path / "clone")
    (clone / "lib/Analysis" / name).write_text("// odd\n")
    with refused(checkout, "is no name for a file that is exported"):
        export.export(clone, checkout)


@pytest.mark.parametrize("below", ["", "lib/Conversion"])
def test_tree_that_is_a_folder_of_another_repository(tmp_path, below):
    tree = make_checkout(tmp_path / "outer/third_party/spine-triton")
    shutil.rmtree(tree / ".git")
    outer = tmp_path / "outer"
    git(outer, "init", "-q")
    git(outer, "add", ".")
    git(outer, "-c", "user.name=A", "-c", "user.email=a@b", "commit", "-q", "-m", "everything")
    with refused(outer, r"outer/third_party/spine-triton is a folder of the repository .*/outer, and no repository"):
        export.export(ROOT, tree / below)


def test_what_editors_leave_here_is_not_exported(checkout, tmp_path):
    clone = make_clone(tmp_path / "clone")
    for name in ("Footprint.cpp~", ".Footprint.cpp.swp", "Footprint.cpp.orig", "Footprint.o"):
        (clone / "lib/Analysis" / name).write_text("x")
    export.export(clone, checkout)
    assert not [path for path in files_of(checkout) if path.endswith(("~", ".swp", ".orig", ".o"))]
