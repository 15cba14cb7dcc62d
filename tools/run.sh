#!/bin/sh
# Installs what is missing (Debian, Ubuntu), builds, and runs pmpp-run with the arguments given:
#
#     sh tools/run.sh matmul
#
# With the command `report` or the option --report it also installs gnuplot, which draws charts.
# The second time it only looks whether a source has changed. Elsewhere, or without root, it says
# what is needed.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tools/setup.sh
. "$root/tools/setup.sh"

install_missing program
case " $* " in *" report "* | *" --report="*) install_charts ;; esac
build_targets program
exec "$build_dir/pmpp-run" "$@"
