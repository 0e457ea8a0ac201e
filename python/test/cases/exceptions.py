"""Cases that this version does not pass, and why. Everything else must pass.

Each entry is a part of a test's id (file::test[parameters], or a prefix of it) and the reason. A case that is listed
here and passes fails the run, so the list cannot outlive its reasons.
"""

EXCEPTIONS: dict[str, str] = {}
