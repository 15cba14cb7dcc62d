# What run.sh, test.sh, gpu-check.sh and ncu-check.sh share: finding or installing what is needed, and building.
# Sourced, after `root` was set to the checkout. Everything it has to say goes to stderr.
# shellcheck shell=sh
#
# Environment: PMPP_BUILD (folder of the build, default build), PMPP_MESON_ARGS (for meson setup).

# shellcheck disable=SC2154 # root comes from the script that sources this
build_dir=${PMPP_BUILD:-$root/build}
case $build_dir in
/*) ;;
*) build_dir=$root/$build_dir ;;
esac

say() {
	printf '%s\n' "$*" >&2
}

have() {
	command -v "$1" >/dev/null 2>&1
}

have_library() {
	have pkg-config && pkg-config --exists "$1"
}

# shellcheck source=tools/packages.sh
. "$root/tools/packages.sh"

# Is the version $1 at least 1.0?
is_meson_1() {
	case $1 in
	0.* | '') return 1 ;;
	esac
}

# Headers of OpenCL, where the compiler looks.
have_opencl_headers() {
	printf '#include <CL/cl.h>\n' | cc -E -xc - >/dev/null 2>&1
}

# Some OpenCL implementation: a loader without one finds no device.
have_opencl_platform() {
	[ -n "${OCL_ICD_VENDORS:-}${OCL_ICD_FILENAMES:-}" ] && return 0
	for icd in /etc/OpenCL/vendors/*.icd; do
		[ -e "$icd" ] && return 0
	done
	return 1
}

# Whether the command $1 is clang 14 or later.
is_clang() {
	have "$1" || return 1
	clang_text=$("$1" --version 2>/dev/null) || return 1
	clang_number=${clang_text#*clang version }
	[ "$clang_number" != "$clang_text" ] && [ "${clang_number%%.*}" -ge 14 ] 2>/dev/null
}

# Whether the OpenCL emulator has a clang: CLANG, else clang, else the newest clang-N of Debian and Ubuntu.
have_clang() {
	if [ -n "${CLANG:-}" ]; then
		return 0
	fi
	is_clang clang && return 0
	clang_suffix=30
	while [ "$clang_suffix" -ge 14 ]; do
		is_clang "clang-$clang_suffix" && return 0
		clang_suffix=$((clang_suffix - 1))
	done
	return 1
}

# Whether a Python module of the tests is there: jsonschema or yaml. The packages are for the system's
# Python only: with another Python the rows that need the module are skipped. A system without Python gets its
# own Python and the modules together.
have_module() {
	have python3 || return 1
	python3 -c "import $1" 2>/dev/null || [ "$(command -v python3)" != /usr/bin/python3 ]
}

# The package of the ICD loader: Khronos's where the distribution has it.
loader_package() {
	if apt-cache show khronos-opencl-icd-loader-dev >/dev/null 2>&1; then
		echo khronos-opencl-icd-loader-dev
	else
		echo ocl-icd-opencl-dev
	fi
}

# find_missing program|tests: sets `missing` to what is not there, by Debian's package names. "icd-loader"
# stands for either loader.
find_missing() {
	missing=
	if ! have cc || ! have c++; then
		missing="$missing build-essential"
	fi
	have meson || missing="$missing meson"
	have ninja || missing="$missing ninja-build"
	have pkg-config || missing="$missing pkg-config"
	have python3 || missing="$missing python3"
	have_library jansson || missing="$missing libjansson-dev"
	have_library libmd || missing="$missing libmd-dev"
	have_library sqlite3 || missing="$missing libsqlite3-dev"
	if ! is_macos; then # it has OpenCL
		have_opencl_headers || missing="$missing opencl-headers"
		have_library OpenCL || missing="$missing icd-loader"
		have_opencl_platform || missing="$missing pocl-opencl-icd"
	fi
	if [ "$1" = tests ]; then
		have_library cmocka || missing="$missing libcmocka-dev"
		have_module jsonschema || missing="$missing python3-jsonschema"
		have_module yaml || missing="$missing python3-yaml"
		have_clang || missing="$missing clang"
	fi
}

# Prints what to install, and ends.
give_up() {
	say "missing (names of Debian's and Ubuntu's packages):$missing"
	# shellcheck disable=SC2086 # a list of words
	say_missing $missing
	say "icd-loader: khronos-opencl-icd-loader-dev or ocl-icd-opencl-dev. Elsewhere: a C11 and a C++"
	say "compiler, meson 1.0 or later, ninja, pkg-config, Python 3, the libraries jansson, libmd and"
	say "SQLite, CMocka, clang and Python's jsonschema and yaml for the tests, and for OpenCL its headers,"
	say "an ICD loader and an implementation (PoCL for the CPU). Optional: clang 14 or later (the OpenCL"
	say "emulator) and Oclgrind (verify --engine=oclgrind)."
	exit 1
}

# Runs a command quietly: its output is shown only when it fails.
quietly() {
	quiet_log=$(mktemp)
	if "$@" >"$quiet_log" 2>&1; then
		rm -f "$quiet_log"
		return 0
	fi
	cat "$quiet_log" >&2
	rm -f "$quiet_log"
	return 1
}

# Runs a command as root, or not at all.
as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	else
		sudo -n "$@"
	fi
}

# Can packages be installed?
can_install() {
	have apt-get && [ -e /etc/debian_version ] &&
		{ [ "$(id -u)" -eq 0 ] || sudo -n true 2>/dev/null; }
}

# install_packages NAME...
install_packages() {
	can_install || give_up
	say "installing:$*"
	quietly as_root apt-get update || {
		say "apt-get update failed"
		exit 1
	}
	packages=
	for name in "$@"; do
		case $name in
		icd-loader) name=$(loader_package) ;;
		esac
		packages="$packages $name"
	done
	# shellcheck disable=SC2086 # a list of words
	quietly as_root env DEBIAN_FRONTEND=noninteractive \
		apt-get install -y --no-install-recommends $packages || {
		say "apt-get install failed:$packages"
		exit 1
	}
}

# Installs two launchers of ranks if that is possible. Without them their tests of --fleet are skipped.
install_launchers() {
	for package in openmpi-bin mpich; do
		have "mpirun.${package%-bin}" || { can_install && (install_packages $package); } ||
			say "no $package: its test of --fleet is skipped"
	done
}

# Installs the libraries of run --peers if that is possible. Without them their tests are skipped.
install_peers() {
	for peer in libopenblas0:libopenblas.so.0 libclblast1:libclblast.so.1; do
		python3 -c "import ctypes; ctypes.CDLL('${peer#*:}')" 2>/dev/null ||
			{ can_install && (install_packages "${peer%:*}"); } ||
			say "no ${peer%:*}: its tests of --peers are skipped"
	done
}

# Installs the programs that check the pages of `report`, if possible. The tests of a missing program are skipped.
install_page_checkers() {
	if ! have tidy && ! { can_install && (install_packages tidy); }; then
		say "no tidy: the tests of pages with tidy are skipped"
	fi
	if ! have chromium && ! have chromium-browser && ! have google-chrome &&
		! { can_install && (install_packages chromium); }; then
		say "no chromium: the tests of pages in a browser are skipped"
	fi
}

# Whether AMD's library of OpenCL C's functions is installed (tools/offline/amdgcn.py).
have_amd_library() {
	for bitcode in /usr/lib/*/amdgcn/bitcode/opencl.bc /opt/rocm/amdgcn/bitcode/opencl.bc; do
		[ -e "$bitcode" ] && return 0
	done
	return 1
}

# Installs the checker of OpenCL kernels, if possible. Its tests are skipped without it.
install_oclgrind() {
	have oclgrind || { can_install && (install_packages oclgrind); } ||
		say "no oclgrind: its tests are skipped"
}

# What only tools/test.sh --all and --host need.
install_for_all_tests() {
	install_launchers
	install_peers
	install_page_checkers
	install_oclgrind
}

# Whether an NVIDIA driver is installed.
have_nvidia_driver() {
	python3 -c 'import ctypes; ctypes.CDLL("libcuda.so.1")' 2>/dev/null
}

# Installs NVRTC and its headers in the cache directory, if there is an NVIDIA driver and no NVRTC. The program has
# the command, which depends on the driver. The same command is tried once.
install_nvrtc() {
	have_nvidia_driver || return 0
	nvrtc_command=$("$build_dir/pmpp-run" devices 2>/dev/null |
		sed -n 's/^.* cuda: .*install NVRTC with: //p') || :
	[ -n "$nvrtc_command" ] || return 0
	nvrtc_folder=${XDG_CACHE_HOME:-${HOME:-}/.cache}/pmpp/cuda
	if [ "$(cat "$nvrtc_folder/tried" 2>/dev/null)" = "$nvrtc_command" ]; then
		say "no CUDA compiler; its installation failed before. Install it with: $nvrtc_command"
		return 0
	fi
	if ! python3 -m pip --version >/dev/null 2>&1 && ! { can_install && (install_packages python3-pip); }; then
		say "no CUDA compiler and no pip. Install pip, then: $nvrtc_command"
		return 0
	fi
	say "installing NVRTC, the CUDA compiler (about 90 MB), in $nvrtc_folder"
	mkdir -p "$nvrtc_folder" && printf '%s\n' "$nvrtc_command" >"$nvrtc_folder/tried" || return 0
	PIP_RETRIES=1 PIP_TIMEOUT=15 PIP_DISABLE_PIP_VERSION_CHECK=1 quietly sh -c "$nvrtc_command" ||
		say "NVRTC was not installed. To try again: $nvrtc_command"
}

# install_missing program|tests
install_missing() {
	say_gpu_driver
	find_missing "$1"
	if [ -n "$missing" ]; then
		# shellcheck disable=SC2086 # a list of words
		install_packages $missing
		find_missing "$1"
		[ -z "$missing" ] || give_up
	fi
	if ! is_meson_1 "$(meson --version 2>/dev/null)"; then
		say "meson $(meson --version) is too old: 1.0 or later is needed (pip install meson)"
		exit 1
	fi
}

# build_targets [tests] [TARGET...]: sets up once, then builds.
build_targets() {
	wants_tests=false
	if [ "${1:-}" = tests ]; then
		wants_tests=true
		shift
	fi
	if [ ! -f "$build_dir/build.ninja" ]; then
		with_tests=$wants_tests
		have_library cmocka && with_tests=true
		# shellcheck disable=SC2086 # a list of words
		quietly meson setup "$build_dir" "$root" "-Dtests=$with_tests" ${PMPP_MESON_ARGS:-} || {
			say "meson setup failed"
			exit 1
		}
	elif $wants_tests && ! grep -q 'test_support\|pmpp_test' "$build_dir/build.ninja"; then
		quietly meson configure "$build_dir" -Dtests=true || exit 1
	fi
	quietly ninja -C "$build_dir" "$@" || {
		say "the build failed"
		exit 1
	}
}
