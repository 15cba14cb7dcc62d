"""Compilers for GPUs that this machine does not have (tools/compile_check.py)."""
