#!/bin/sh
# Installs what is missing (Debian, Ubuntu), builds, and runs the tests. Prints each suite's counts, the
# reasons of skips and the failed rows. The last line is "N passed, N failed, N skipped", over the rows
# of all tests.
#
#     sh tools/test.sh             the short form: without the tests of the suite `long`, and without the
#                                  long rows of the other tests. It has every CUDA kernel and nearly every OpenCL kernel
#     sh tools/test.sh --all       every test in its full form, and 10,000 random problems. The suite `faults`
#                                  is left out: it needs a build with sanitizers (.ci/run). Also
#                                  installs: Open MPI, MPICH, tidy, chromium, Oclgrind, compilers for other vendors' GPUs
#                                  (tools/compilers.sh), and what --vendors installs. If a package cannot
#                                  be installed, its tests are skipped
#     sh tools/test.sh --host      the suite `host` in its short form: tests that need an MPI, a browser, libraries,
#                                  OpenCL or compilers of other vendors, or a CUDA Toolkit (installs all of them
#                                  except the toolkit), and tests of the suite `long` that the gate runs
#     sh tools/test.sh ARGUMENTS   what `meson test ARGUMENTS` selects ("--suite unit", a test's name),
#                                  in its full form
#     sh tools/test.sh --short ARGUMENTS    the same in its short form: without the long rows
#     --vendors                    before the other arguments: also install other vendors' OpenCL for the
#                                  CPU (tools/vendors.sh; 870 MB, a few minutes more). The short form runs
#                                  one variant per family on it, --all every kernel
#
# Environment:
#
#     PMPP_VENDORS=FOLDER                as --vendors, and install it in this folder
#     PMPP_COMPILERS=FOLDER              the folder of tools/compilers.sh
#     PMPP_REQUIRE=opencl,cuda-emu,mpi   a skip of these backends, or of the tests of --fleet, is a
#                                        failure; also opencl-emu, pocl, rusticl, intel, ocl-icd, khronos-loader,
#                                        and tidy, chromium (the checks of pages), and amdgcn,
#                                        spirv, ocloc (compilers for other vendors' GPUs)
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tools/setup.sh
. "$root/tools/setup.sh"

started=$(date +%s)
all=false
host=false
short=false
vendors=false
[ -z "${PMPP_VENDORS:-}" ] || vendors=true
while :; do
	case ${1:-} in
	--all) all=true ;;
	--host) host=true ;;
	--short) short=true ;;
	--vendors) vendors=true ;;
	*) break ;;
	esac
	shift
done

install_missing tests
if $all || $host; then
	install_for_all_tests
	PMPP_COMPILERS=$(sh "$root/tools/compilers.sh")
	export PMPP_COMPILERS
fi
if $all; then # five engines
	PMPP_RANDOM_PROBLEMS=${PMPP_RANDOM_PROBLEMS:-2000}
	export PMPP_RANDOM_PROBLEMS
fi
if $vendors; then
	PMPP_VENDORS=$(sh "$root/tools/vendors.sh")
	export PMPP_VENDORS
elif $all || $host; then
	if PMPP_VENDORS=$(sh "$root/tools/vendors.sh"); then
		export PMPP_VENDORS
	else
		unset PMPP_VENDORS
		say "no other vendors' OpenCL: their tests are skipped"
	fi
fi

logs=$build_dir/meson-logs
unset PMPP_TEST_SHORT
installed=$(date +%s)
if $host; then
	short=true
	set -- --suite host
elif ! $all && [ $# -eq 0 ]; then
	short=true
	set -- --no-suite long
fi
if $short; then
	export PMPP_TEST_SHORT=1
fi
build_targets tests
built=$(date +%s)
rm -f "$logs/testlog.json"
meson test -C "$build_dir" --no-rebuild --list "$@" >"$logs/test-names.txt" 2>/dev/null || :
# count_tests.py prints the failures row by row. A run that wrote no log is reported here.
# Run one more test than there are cores: some tests only wait for a time limit.
meson test -C "$build_dir" --no-rebuild --quiet --num-processes $(($(nproc) + 1)) "$@" >"$logs/test-output.txt" 2>&1 ||
	echo "meson test: exit code $?" >>"$logs/test-output.txt"
if [ ! -f "$logs/testlog.json" ]; then
	cat "$logs/test-output.txt" >&2
	exit 1
fi
meson test -C "$build_dir" --no-rebuild --list >"$logs/all-names.txt" 2>/dev/null || :
printf 'installation %d s, build %d s, tests %d s\n' $((installed - started)) $((built - installed)) \
	$(($(date +%s) - built))
exec python3 "$root/tools/count_tests.py" "$logs/testlog.json" "$logs/test-names.txt" \
	${PMPP_TEST_SHORT:+"$logs/all-names.txt"}
