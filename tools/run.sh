#!/bin/sh
# Installs missing packages (Debian, Ubuntu), builds, and runs pmpp-run with the given arguments:
#
#     sh tools/run.sh matmul
#
# With an
# NVIDIA driver and no CUDA compiler (NVRTC) it installs NVIDIA's Python packages of NVRTC, below
# ~/.cache/pmpp.
# A second run only rebuilds what changed. On other systems, or without root, it lists the missing
# packages.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tools/setup.sh
. "$root/tools/setup.sh"

install_missing program
build_targets program
install_nvrtc
exec "$build_dir/pmpp-run" "$@"
