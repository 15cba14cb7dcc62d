#!/bin/sh
# Compares the counters of `pmpp-run explain` with those of NVIDIA Nsight Compute (ncu), for the same
# launches on the NVIDIA GPU of this machine. Takes some seconds per variant.
#
#     sh tools/ncu-check.sh [FAMILY[/VARIANT]...]        default: all traced variants
#     sh tools/ncu-check.sh --limits [FAMILY[/VARIANT]...]
#
# --limits: times the variants with `pmpp-run run`, and compares their limiting resource with the
# most utilised unit according to ncu (tools/ncu_limits.py).
#
# Installs nothing. Environment:
#
#     PMPP_BUILD        folder of the build (default build)
#     PMPP_MESON_ARGS   arguments of meson setup
#     CUDA_HOME         CUDA Toolkit (default /usr/local/cuda)
#     PMPP_NCU          the ncu to try first
#     PMPP_RESULTS      folder of the results (default ncu-check or ncu-limits in the build folder);
#                       tools/ncu_compare.py lists the files, and options to compare without a GPU
#     PMPP_TRACE        JSON file of `pmpp-run explain all --blocks=all` from another machine
#
# nvdisasm (PATH, or $CUDA_HOME/bin) is needed to explain differences (tools/sass).
#
# Exit status: 0; 1 if a counter that must be equal is not equal, or a variant was not counted; 2
# without ncu, without a GPU, or without permission to read its counters.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tools/setup.sh
. "$root/tools/setup.sh"

check=ncu_compare
results=$build_dir/ncu-check
if [ "${1:-}" = --limits ]; then
	shift
	check=ncu_limits
	results=$build_dir/ncu-limits
fi
results=${PMPP_RESULTS:-$results}
run=$build_dir/pmpp-run

# Sets `ncu`. Fails if there is no ncu.
find_ncu() {
	for ncu in ${PMPP_NCU:+"$PMPP_NCU"} ncu "${CUDA_HOME:-/usr/local/cuda}/bin/ncu" \
		/opt/nvidia/nsight-compute/*/ncu; do
		have "$ncu" && return 0
	done
	return 1
}

if ! find_ncu; then
	say "no ncu: install NVIDIA Nsight Compute (cuda-nsight-compute-*), or set PMPP_NCU"
	exit 2
fi
find_missing program
case $missing in
*build-essential* | *meson* | *ninja-build* | *pkg-config* | *python3*) give_up ;;
*jansson* | *libmd*) give_up ;;
esac
build_targets pmpp-run
if ! "$run" --backend=cuda --size=1000 --min-time=1 vecadd/fine >&2; then
	say "no CUDA device that works: this script is for a machine with an NVIDIA GPU"
	exit 2
fi
mkdir -p "$results"
if [ -n "${PMPP_TRACE:-}" ] && [ "$check" = ncu_compare ]; then
	set -- "--trace=$PMPP_TRACE" "$@"
fi
exec python3 "$root/tools/$check.py" --pmpp-run="$run" --ncu="$ncu" --results="$results" "$@"
