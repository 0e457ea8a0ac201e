"""What tests read from assembly for riscv64."""

import re


def innermost_loops(text: str) -> list[list[str]]:
    """The instructions from a label to a branch back to it, where no other loop lies between."""
    lines = [line.split("#")[0].strip() for line in text.splitlines()]
    labels = {line[:-1]: i for i, line in enumerate(lines) if line.endswith(":")}
    loops = []
    for i, line in enumerate(lines):
        branch = re.match(r"(?:b\w+|j)\s.*?(\.LBB\w+)$", line)
        if branch and labels.get(branch.group(1), i) < i:
            loops.append((labels[branch.group(1)], i))
    inner = [a for a in loops if not any(b != a and a[0] <= b[0] and b[1] <= a[1] for b in loops)]
    return [[line for line in lines[begin:end] if line and not line.startswith(".")] for begin, end in inner]


def spills(text: str) -> list[str]:
    """The innermost loops in which vector registers are spilled or come back.

    Whole registers are stored and loaded for that, without an element width, at a place in the stack whose address
    depends on the length of a register. Bytes of a full register are loaded by the same instruction, from elsewhere.
    """
    if "vlenb" not in text:
        return []
    loops = innermost_loops(text)
    return ["\n".join(loop) for loop in loops if any(re.match(r"v[ls]\dr\.v", line) for line in loop)]
