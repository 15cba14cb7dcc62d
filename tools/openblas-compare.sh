#!/bin/sh
# Times the CPU matmul kernel (cl_kernels/matmul/cpu_packed.cl) and OpenBLAS sgemm in turn, in one
# process. Usage: sh tools/openblas-compare.sh [N]     (m = n = k = N, default 1024)
# Installs nothing. Prints the Debian packages that are missing.
set -eu
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# need PACKAGE PROGRAM-TEXT LIBRARY: checks that the program can be compiled and linked.
need() {
	printf '%s\n' "$2" >"$work/probe.c"
	if ! ${CC:-cc} "$work/probe.c" -o "$work/probe" "$3" >/dev/null 2>&1; then
		echo "openblas-compare: missing; on Debian: apt install $1" >&2
		missing=1
	fi
}

missing=0
need libopenblas-dev '#include <cblas.h>
int main(void) { return !openblas_get_corename(); }' -lopenblas
need ocl-icd-opencl-dev '#include <CL/cl.h>
int main(void) { return clGetPlatformIDs(0, 0, 0) != 0; }' -lOpenCL
[ $missing -eq 0 ] || exit 1

# OpenBLAS uses its Haswell kernels on a CPU that is newer than itself. With AVX-512 this halves the
# speed.
if [ -z "${OPENBLAS_CORETYPE:-}" ] && grep -q avx512dq /proc/cpuinfo; then
	OPENBLAS_CORETYPE=SkylakeX
	export OPENBLAS_CORETYPE
fi

${CC:-cc} -std=c11 -O2 -Wall -Wextra tools/openblas_peer.c -o "$work/peer" -lopenblas -lOpenCL -lm
"$work/peer" cl_kernels/matmul/cpu_packed.cl "$@"
