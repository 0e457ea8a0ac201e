# ===- __init__.py - The Triton backend `spine` ----------------------------===#
#
# Part of spine-triton, under the MIT licence.
#
# ===-----------------------------------------------------------------------===#
"""The Triton backend `spine`: Triton imports `compiler` and `driver` from here."""
