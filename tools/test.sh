#!/bin/sh
# Installs what is missing (Debian, Ubuntu), builds, and runs the tests. Arguments go to `meson test`
# ("--suite unit", a test's name). Prints each suite's counts, the reasons of skips and the failed
# rows; the last line is "N passed, N failed, N skipped", over the rows of all tests.
#
#     --vendors                          as first argument: also install and test other vendors' OpenCL
#                                        for the CPU (tools/vendors.sh; 870 MB, a few minutes more)
#     PMPP_VENDORS=FOLDER                the same, and install it in this folder
#     PMPP_REQUIRE=opencl,cuda-emu,mpi   a skip of these backends, or of the tests of --fleet, is a
#                                        failure; also pocl, rusticl, intel, ocl-icd, khronos-loader,
#                                        and gnuplot, tidy, chromium (the checks of pages)
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tools/setup.sh
. "$root/tools/setup.sh"

vendors=false
if [ "${1:-}" = --vendors ]; then
	vendors=true
	shift
elif [ -n "${PMPP_VENDORS:-}" ]; then
	vendors=true
fi
install_missing tests
if $vendors; then
	PMPP_VENDORS=$(sh "$root/tools/vendors.sh")
	export PMPP_VENDORS
fi
build_targets tests
rm -f "$build_dir/meson-logs/testlog.json"
meson test -C "$build_dir" --no-rebuild --list "$@" \
	>"$build_dir/meson-logs/test-names.txt" 2>/dev/null || :
# What failed is told below, row by row; a run that wrote no log is told here.
meson test -C "$build_dir" --no-rebuild --quiet "$@" >"$build_dir/meson-logs/test-output.txt" 2>&1 ||
	echo "meson test: exit code $?" >>"$build_dir/meson-logs/test-output.txt"
if [ ! -f "$build_dir/meson-logs/testlog.json" ]; then
	cat "$build_dir/meson-logs/test-output.txt" >&2
	exit 1
fi
exec python3 "$root/tools/count_tests.py" "$build_dir/meson-logs/testlog.json" \
	"$build_dir/meson-logs/test-names.txt"
