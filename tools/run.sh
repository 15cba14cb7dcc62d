#!/bin/sh
# Installs what is missing (Debian, Ubuntu), builds, and runs pmpp-run with the arguments given:
#
#     sh tools/run.sh matmul
#
# The second time it only looks whether a source has changed. Elsewhere, or without root, it says
# what is needed.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tools/setup.sh
. "$root/tools/setup.sh"

install_missing program
build_targets program
exec "$build_dir/pmpp-run" "$@"
