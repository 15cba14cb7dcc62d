#!/bin/sh
# Runs the checks that need an NVIDIA GPU, in about 15 minutes: conformance and kernels on both
# backends, sizes, parity, times of every family, and matmul compared with cuBLAS.
#
#     sh tools/gpu-check.sh [FOLDER]        folder of the result files, default docs/results/gpu
#
# Installs nothing. meson may come from pip; jansson, libmd and CMocka may come from
# PKG_CONFIG_PATH.
# Environment: PMPP_BUILD (default build-gpu), PMPP_MESON_ARGS, CUDA_HOME (default
# /usr/local/cuda).
# The last line is "N passed, N failed, N skipped". The exit status is 1 if a check failed.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
: "${PMPP_BUILD:=build-gpu}"
# shellcheck source=tools/setup.sh
. "$root/tools/setup.sh"

folder=${1:-$root/docs/results/gpu}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
cuda=${CUDA_HOME:-/usr/local/cuda}
run=$build_dir/pmpp-run
steps=$(mktemp)
trap 'rm -f "$steps"' EXIT
trap 'exit 1' HUP INT TERM

# record STATUS NAME: a line for the summary.
record() {
	printf '%s %s\n' "$1" "$2" >>"$steps"
	say "[$1] $2"
}

# step LIMIT_S NAME COMMAND...: runs the command with a time limit and shows its output.
step() {
	limit=$1
	name=$2
	shift 2
	say "---- $name"
	code=0
	timeout "$limit" "$@" >&2 || code=$?
	case $code in
	0) record passed "$name" ;;
	77) record skipped "$name" ;;
	124) record failed "$name (over $limit s)" ;;
	*) record failed "$name (exit $code)" ;;
	esac
}

# rows NAME LIMIT_S TEST ARGUMENT...: runs a test program, counts its rows and shows failed rows.
rows() {
	name=$1
	limit=$2
	shift 2
	say "---- $name"
	log=$(mktemp)
	code=0
	timeout "$limit" "$@" >"$log" 2>&1 || code=$?
	closing=$(grep -E '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$log" | tail -1)
	if [ -n "$closing" ]; then
		printf 'rows %s\n' "$closing" >>"$steps"
		say "$name: $closing"
	else
		record failed "$name (exit $code, no closing line)"
	fi
	[ "$code" -eq 0 ] || [ "$code" -eq 77 ] || grep -B 12 'FAILED  \]' "$log" | head -120 >&2
	rm -f "$log"
}

find_missing program
case $missing in
*build-essential* | *meson* | *ninja-build* | *pkg-config* | *jansson* | *libmd*) give_up ;;
esac

# ---- Build
if have_library cmocka; then
	build_targets tests
else
	say "no CMocka: the conformance and kernel tests are skipped"
	printf 'skipped tests (no CMocka)\n' >>"$steps"
	build_targets pmpp-run
fi
"$run" doctor >"$folder/doctor.txt" 2>&1 || :
cat "$folder/doctor.txt" >&2
if ! "$run" --backend=cuda --size=1000 --min-time=1 vecadd/fine >&2; then
	say "no CUDA device that works: this script is for a machine with an NVIDIA GPU"
	exit 2
fi

# ---- The cuBLAS peer
peer=$build_dir/cublas_peer
if ! quietly cc -O2 "$root/tools/cublas_peer.c" -I"$cuda/include" -L"$cuda/lib64" \
	-Wl,-rpath,"$cuda/lib64" -lcublas -lcudart -lm -o "$peer"; then
	printf 'skipped cuBLAS peer (it does not build with %s)\n' "$cuda" >>"$steps"
	peer=
fi

# ---- Tests
if [ -x "$build_dir/tests/test_conformance" ]; then
	PMPP_REQUIRE=opencl,cuda
	PMPP_TEST_TYPE=gpu # tools/test.sh tests the OpenCL of CPUs
	export PMPP_REQUIRE PMPP_TEST_TYPE
	for backend in cuda opencl; do
		rows "conformance $backend" 40 "$build_dir/tests/test_conformance" $backend
	done
	for backend in cuda opencl; do
		rows "kernels $backend" 300 "$build_dir/tests/test_kernels" $backend
		rows "mutants $backend" 90 "$build_dir/tests/test_mutants" $backend
	done
fi
rows "machine code of roofs" 60 python3 "$root/tests/kernels/test_sass.py" "$root"

# ---- Roofs, sizes, parity, times
# Both backends before the other steps: a roof of a device is the larger figure of both.
for backend in opencl cuda; do
	step 120 "roofs $backend" "$run" roofline --backend=$backend --device=gpu
done
sizes=1,37,1000,2048,4096
for backend in cuda opencl; do
	step 90 "verify $sizes $backend" "$run" verify matmul --backend=$backend --device=gpu \
		--size=$sizes --json="$folder/verify-$backend.json"
done
# More than 2^31 elements: finds 32-bit addresses in kernels and drivers.
memory=$("$run" devices --json | python3 -c 'import json, sys
print(max(d["limits"]["global_bytes"] for d in json.load(sys.stdin)["devices"]) // 10**9)' || echo 0)
if [ "$memory" -ge 80 ]; then
	for backend in cuda opencl; do
		step 180 "verify 2^31 elements, vecadd $backend" "$run" verify vecadd/fine \
			--backend=$backend --device=gpu --size=2200000003
		step 60 "verify 2^31 elements, matmul $backend" "$run" verify matmul/prefetch \
			--backend=$backend --device=gpu --size=46400x46400x17
	done
else
	record skipped "verify 2^31 elements (a device of $memory GB)"
fi
step 60 "parity 4096" "$run" parity matmul --size=4096 --json="$folder/parity.json"

# A kernel compared with itself: parity must not report a difference.
if [ -x "$build_dir/tests/self_parity" ]; then
	for backend in cuda opencl; do
		for buffers in shared own; do
			step 120 "parity with itself, $buffers buffers, $backend" \
				"$build_dir/tests/self_parity" $buffers $backend matmul/tiled16 50 1024
		done
	done
fi

# The peer runs before and after matmul, because clocks change. The faster run counts.
: >"$folder/cublas.jsonl"
time_peer() {
	[ -n "$peer" ] || return 0
	for n in 4096 2048; do
		timeout 30 "$peer" $n >>"$folder/cublas.jsonl" || record failed "cuBLAS n=$n"
	done
}
time_peer
for backend in cuda opencl; do
	step 60 "run 4096,2048 $backend" "$run" run matmul --backend=$backend \
		--size=4096,2048 --json="$folder/run-$backend.json"
done
time_peer

# ---- Every family at its default size
for backend in cuda opencl; do
	step 240 "run all $backend" "$run" run all --backend=$backend --device=gpu \
		--json="$folder/families-$backend.json"
done
step 300 "parity all" "$run" parity all --json="$folder/families-parity.json"

python3 "$root/tools/gpu_summary.py" "$folder" "$steps"
