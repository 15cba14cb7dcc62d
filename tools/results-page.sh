#!/bin/sh
# Makes the page of the committed results: every device that ships with the program, parity and sizes on
# NVIDIA GPUs, and four explanations.
#
#     sh tools/results-page.sh [PAGE]       # default: docs/results/report.html
#
# Environment: PMPP_BUILD (build): the folder of the build.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
page=${1:-docs/results/report.html}
build=${PMPP_BUILD:-build}
case $page in /*) ;; *) page=$(pwd)/$page ;; esac
case $build in /*) ;; *) build=$root/$build ;; esac

cd "$root/docs/results"
PMPP_DEVICES_DIR=devices exec "$build/pmpp-run" report --with=all --by=model \
	nvidia-h200/parity-all.json nvidia-h100/parity-all.json \
	sizes/h200-memory-cuda.json sizes/h200-matmul-cuda.json \
	sizes/h100-memory-cuda.json sizes/h100-matmul-cuda.json \
	nvidia-h200/explained.json -o "$page"
