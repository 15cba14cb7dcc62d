#!/bin/sh
# Installs what is missing (Debian, Ubuntu), builds, and runs the tests. Prints each suite's counts, the
# reasons of skips and the failed rows. The last line is "N passed, N failed, N skipped", over the rows
# of all tests.
#
#     sh tools/test.sh             the short form: without the tests of the suite `long`, and without the
#                                  long rows of the other tests. It has every variant of every kernel
#     sh tools/test.sh --all       every test in its full form, except the suite `faults`, which needs a build
#                                  with sanitizers (.ci/run has one). Also installs: an MPI, tidy,
#                                  chromium, compilers for other vendors' GPUs (tools/compilers.sh),
#                                  and what --vendors installs. If a package cannot be installed, its
#                                  tests are skipped
#     sh tools/test.sh ARGUMENTS   what `meson test ARGUMENTS` selects ("--suite unit", a test's name),
#                                  in its full form
#     --vendors                    before the other arguments: also install and test other vendors'
#                                  OpenCL for the CPU (tools/vendors.sh; 870 MB, a few minutes more)
#
# Environment:
#
#     PMPP_VENDORS=FOLDER                as --vendors, and install it in this folder
#     PMPP_COMPILERS=FOLDER              the folder of tools/compilers.sh
#     PMPP_REQUIRE=opencl,cuda-emu,mpi   a skip of these backends, or of the tests of --fleet, is a
#                                        failure; also opencl-emu, pocl, rusticl, intel, ocl-icd, khronos-loader,
#                                        and gnuplot, tidy, chromium (the checks of pages), and amdgcn,
#                                        spirv, ocloc (compilers for other vendors' GPUs)
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tools/setup.sh
. "$root/tools/setup.sh"

all=false
vendors=false
[ -z "${PMPP_VENDORS:-}" ] || vendors=true
while :; do
	case ${1:-} in
	--all) all=true ;;
	--vendors) vendors=true ;;
	*) break ;;
	esac
	shift
done

install_missing tests
if $all; then
	install_for_all_tests
	PMPP_COMPILERS=$(sh "$root/tools/compilers.sh")
	export PMPP_COMPILERS
fi
if $vendors; then
	PMPP_VENDORS=$(sh "$root/tools/vendors.sh")
	export PMPP_VENDORS
elif $all; then
	if PMPP_VENDORS=$(sh "$root/tools/vendors.sh"); then
		export PMPP_VENDORS
	else
		unset PMPP_VENDORS
		say "no other vendors' OpenCL: their tests are skipped"
	fi
fi

logs=$build_dir/meson-logs
unset PMPP_TEST_SHORT
if ! $all && [ $# -eq 0 ]; then
	export PMPP_TEST_SHORT=1
	set -- --no-suite long
	build_targets tests
else
	build_targets tests all meson-test-prereq
fi
rm -f "$logs/testlog.json"
meson test -C "$build_dir" --no-rebuild --list "$@" >"$logs/test-names.txt" 2>/dev/null || :
# count_tests.py prints the failures row by row. A run that wrote no log is reported here.
meson test -C "$build_dir" --no-rebuild --quiet "$@" >"$logs/test-output.txt" 2>&1 ||
	echo "meson test: exit code $?" >>"$logs/test-output.txt"
if [ ! -f "$logs/testlog.json" ]; then
	cat "$logs/test-output.txt" >&2
	exit 1
fi
meson test -C "$build_dir" --no-rebuild --list >"$logs/all-names.txt" 2>/dev/null || :
exec python3 "$root/tools/count_tests.py" "$logs/testlog.json" "$logs/test-names.txt" \
	${PMPP_TEST_SHORT:+"$logs/all-names.txt"}
