# ===- test_messages.py - Every message has a test ---------------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""What the compiler says is tested: each message in lib/ occurs in a lit test, those of the library around it in others."""

import pathlib
import re

ROOT = pathlib.Path(__file__).parents[3]

CALL = re.compile(r"\b(emitError|emitOpError|emitWarning|emitRemark|attachNote|fail|give|report)\s*\(")

UNREACHED = {
    # Verifiers and the pass before refuse what would lead there; they are here in case one of these changes.
    "the block pointer of this load is not known": "block pointers are made, advanced, selected or carried",
    "the block pointer of this store is not known": "the same",
    "the block pointer that is advanced is not known": "the same",
    "the selected block pointers are not known": "the same",
    "a block pointer that enters a region is not known": "the same",
    "a tile that enters a region was not lowered": "the error is that of the operation that makes it",
    "this atomic operation is not supported": "all kinds are",
    "this type of product is not supported": "arguments cannot have other types",
    "a function that calls itself is not supported; use a loop": "the verifier of tt.func refuses it",
    "the function that is called here calls itself": "the same; ResidencyTest.cpp makes one without it",
    "no store and no reduction depends on it": "such tiles are no candidates",
    "integer range analysis failed": "the solver has no case of it",
    "the analysis of integer ranges and of code that is never reached failed": "the same",
}


def statements(text):
    """(line, statement) of each call that begins a message."""
    text = re.sub(r"//[^\n]*", "", text)
    for call in CALL.finditer(text):
        end = re.compile(r'(?:"(?:[^"\\]|\\.)*"|[^";])*').match(text, call.start()).end()
        yield text.count("\n", 0, call.start()) + 1, text[call.start() : end]


def message(statement):
    """The longest literal of a message; none if all are short."""
    joined = re.sub(r'"\s*"', "", statement)
    literals = [re.sub(r"\\(.)", r"\1", text) for text in re.findall(r'"((?:[^"\\]|\\.)*)"', joined)]
    longest = max(literals, key=len, default="").strip()
    return longest if len(longest) >= 12 else None


def texts_of_tests():
    lit = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "test").rglob("*.mlir"))
    others = [path for folder in ("unittest", "python/test") for path in (ROOT / folder).rglob("*")]
    others = [path for path in others if path.suffix in (".cpp", ".py") and path != pathlib.Path(__file__)]
    return lit, "\n".join(path.read_text(encoding="utf-8") for path in others)


def test_every_message_has_a_test():
    lit, others = texts_of_tests()
    missing, found = [], 0
    for path in sorted((ROOT / "lib").rglob("*.cpp")):
        # What no pass says cannot be asked for in spine-triton-opt.
        where = lit + others if path.parent.name in ("Target", "Support") else lit
        for line, statement in statements(path.read_text(encoding="utf-8")):
            text = message(statement)
            if text is None or text in UNREACHED:
                continue
            found += 1
            # Tests quote the beginning or the end of a long one.
            if text[:40] not in where and text[-30:] not in where:
                missing.append(f"{path.relative_to(ROOT)}:{line}: {text}")
    assert found > 100, "messages are recognised"
    assert not missing, "\n".join(missing)


def test_what_is_not_reached_exists():
    sources = re.sub(r'"\s*"', "", "\n".join(p.read_text(encoding="utf-8") for p in (ROOT / "lib").rglob("*.cpp")))
    assert [text for text in UNREACHED if text not in sources] == []
