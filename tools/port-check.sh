#!/bin/sh
# Compiles the host's C files for other systems, and links them without the libraries of those
# systems: only symbols of these libraries may be undefined. Nothing is executed.
#
#     sh tools/port-check.sh [TARGET...]     default: aarch64-linux aarch64-macos
#
# The compiler is zig's C compiler, which has the headers of macOS and of other processors. It is
# the Python package ziglang: of this Python, else installed into $PMPP_ZIG (default
# ~/.cache/pmpp-zig; 90 MB to download, 380 MB on disk). The headers of jansson, libmd, SQLite
# and OpenCL are those of this machine. For macOS a small header stands for Apple's OpenCL
# framework, so the check cannot find what that framework lacks.
# Environment: PMPP_BUILD (a build, for its generated files; default build), PMPP_ZIG.
# The last line is "N passed, N failed, N skipped", over all files and links. Exit status: 1
# if a file or a link fails, 77 without a compiler.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tools/setup.sh
. "$root/tools/setup.sh"

ziglang_version=0.17.1
download_limit_s=120
# C files that the build generates.
generated='tools/embedded_sources.c host/page/page_assets.c'
# Symbols of jansson, SQLite, libmd and OpenCL.
libraries='^_*\(json_\|jsonp_\|sqlite3_\|SHA256\|cl[A-Z]\)'
# What macOS does not build, as the build files do: the emulator (ELF) and CUDA.
not_on_macos='^host/gpu/\(emu\|cuda_emu\|opencl_emu\|cuda\)/\|_linux\.c$'
not_on_linux='_darwin\.c$'

# find_python: sets `python` to one that has ziglang.
find_python() {
	python=python3
	python3 -c 'import ziglang' 2>/dev/null && return 0
	folder=${PMPP_ZIG:-${XDG_CACHE_HOME:-$HOME/.cache}/pmpp-zig}
	python=$folder/bin/python
	"$python" -c 'import ziglang' 2>/dev/null && return 0
	say "installing: ziglang $ziglang_version into $folder"
	quietly python3 -m venv "$folder" && quietly timeout "$download_limit_s" "$python" -m pip \
		install --no-cache-dir --disable-pip-version-check "ziglang==$ziglang_version"
}

# copy_header NAME: copies the header that the compiler of this machine finds.
copy_header() {
	found=$(printf '#include <%s>\n' "$1" | cc -E -M -xc - 2>/dev/null | tr ' ' '\n' |
		grep "/$1\$" | head -1)
	[ -n "$found" ] || {
		say "no header $1: install the packages that tools/run.sh names"
		exit 1
	}
	mkdir -p "$(dirname "$work/include/$1")"
	cp "$found" "$work/include/$1"
}

copy_headers() {
	for header in jansson.h jansson_config.h sha256.h sha2.h sqlite3.h CL/cl.h CL/cl_version.h \
		CL/cl_platform.h CL/cl_ext.h; do
		copy_header $header
	done
	mkdir -p "$work/macos/OpenCL" "$work/macos/bits"
	: >"$work/macos/bits/floatn.h"
	printf '#define CL_TARGET_OPENCL_VERSION 120\n#include <CL/cl.h>\n#include <CL/cl_ext.h>\n' \
		>"$work/macos/OpenCL/opencl.h"
	# The table of backends has OpenCL only.
	mkdir -p "$work/macos/host/gpu"
	sed 's/&gpu_backend_\(cuda\|cuda_emu\|opencl_emu\)$/NULL/' "$build_dir/host/gpu/gpu_config.h" \
		>"$work/macos/host/gpu/gpu_config.h"
}

# The C files that a target builds. Those of `runtime` are compiled for kernels, at run time.
files_of() {
	case $1 in
	*macos*) excluded=$not_on_macos ;;
	*) excluded=$not_on_linux ;;
	esac
	(cd "$root" && find common host -name '*.c') | grep -v "/runtime/\|$excluded" | sort
	for file in $generated; do
		echo "$build_dir/$file"
	done
}

# link_all TARGET TRIPLE: links the objects. Prints the undefined symbols that are in no library.
link_all() {
	"$python" -m ziglang cc -target "$2" "$work/$1"/*.o -o "$work/$1.program" -lm \
		>"$work/link.log" 2>&1 || :
	undefined=$(sed -n 's/.*undefined symbol: //p' "$work/link.log" | sort -u | grep -v "$libraries" || :)
	if [ -n "$undefined" ] || ! grep -q 'undefined symbol: ' "$work/link.log"; then
		say "undefined on $1:" "${undefined:-$(tail -5 "$work/link.log")}"
		failed=$((failed + 1))
	else
		passed=$((passed + 1))
	fi
}

# compile TARGET TRIPLE FLAG...: compiles all files. Prints the failed files and their messages.
compile() {
	target=$1
	triple=$2
	shift 2
	say "---- $target"
	mkdir -p "$work/$target"
	# shellcheck disable=SC2016 # sh -c expands it
	files_of "$target" | (cd "$root" && xargs -P "$(getconf _NPROCESSORS_ONLN)" -I FILE sh -c '
		name=$(echo "$1" | tr / _)
		out=$2/$name
		shift 2
		if "$@" -o "$out.o" "$0" >"$out.log" 2>&1; then
			echo "$0" >"$out.passed"
		else
			echo "$0" >"$out.failed"
		fi' FILE FILE "$work/$target" "$python" -m ziglang cc -target "$triple" -c "$@")
	for log in "$work/$target"/*.failed; do
		[ -e "$log" ] || break
		say "$(cat "$log") does not compile for $target:"
		head -20 "${log%.failed}.log" >&2
	done
	passed=$((passed + $(find "$work/$target" -name '*.passed' | wc -l)))
	failed=$((failed + $(find "$work/$target" -name '*.failed' | wc -l)))
	link_all "$target" "$triple"
}

find_python || {
	say "skipped: the Python package ziglang is not installed, and cannot be installed"
	echo "0 passed, 0 failed, 1 skipped"
	exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
for file in $generated host/gpu/gpu_config.h; do
	[ -e "$build_dir/$file" ] || build_targets program
done
copy_headers

passed=0
failed=0
flags="-std=gnu11 -D_GNU_SOURCE -O0 -Werror=implicit-function-declaration -Werror=incompatible-pointer-types
	-Werror=int-conversion -I$root -I$build_dir -I$work/include"
[ $# -gt 0 ] || set -- aarch64-linux aarch64-macos
for target in "$@"; do
	# shellcheck disable=SC2086 # lists of words
	case $target in
	# Each function must exist in this version of macOS.
	*macos*) compile "$target" "$target.13.0" "-I$work/macos" $flags -D__THROW= \
		-Werror=unguarded-availability -Werror=unguarded-availability-new ;;
	*) compile "$target" "$target-gnu.2.36" $flags ;;
	esac
done
say "compiled and linked without libraries: nothing was executed"
echo "$passed passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
