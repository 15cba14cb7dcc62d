# Names of packages on systems other than Debian and Ubuntu, and the OpenCL driver of a GPU.
# Sourced by setup.sh, whose functions it uses. It installs nothing.
# shellcheck shell=sh
#
# Environment, for tests: PMPP_OS_RELEASE (default /etc/os-release), PMPP_DRM (default /sys/class/drm),
# PMPP_ICDS (default /etc/OpenCL/vendors).

# Columns: Debian and Ubuntu, Fedora, Arch Linux, Homebrew. "-": not needed. "pip:NAME": from the
# Python index. "xcode": Apple's command line tools.
package_table='
build-essential    gcc,gcc-c++         base-devel         xcode
meson              meson               meson              meson
ninja-build        ninja-build         ninja              ninja
pkg-config         pkgconf-pkg-config  pkgconf            pkg-config
python3            python3             python             python
libjansson-dev     jansson-devel       jansson            jansson
libmd-dev          libmd-devel         libmd              libmd
libsqlite3-dev     sqlite-devel        sqlite             sqlite
opencl-headers     opencl-headers      opencl-headers     -
icd-loader         ocl-icd-devel       ocl-icd            -
pocl-opencl-icd    pocl                pocl               -
libcmocka-dev      libcmocka-devel     cmocka             cmocka
python3-jsonschema python3-jsonschema  python-jsonschema  pip:jsonschema
python3-yaml       python3-pyyaml      python-yaml        pip:pyyaml
clang              clang               clang              llvm
amd-opencl         rocm-opencl         rocm-opencl-runtime -
intel-opencl       intel-compute-runtime intel-compute-runtime -
'

is_macos() {
	[ "$(uname -s 2>/dev/null)" = Darwin ]
}

# system_name: debian, fedora, arch, homebrew; other: unknown.
system_name() {
	if is_macos; then
		echo homebrew
		return 0
	fi
	system_ids=
	release=${PMPP_OS_RELEASE:-/etc/os-release}
	if [ -r "$release" ]; then
		while IFS='=' read -r key value; do
			case $key in
			ID | ID_LIKE)
				value=${value#\"}
				system_ids="$system_ids ${value%\"}"
				;;
			esac
		done <"$release"
	fi
	case "$system_ids " in
	*" debian "* | *" ubuntu "*) echo debian ;;
	*" fedora "* | *" rhel "*) echo fedora ;;
	*" arch "*) echo arch ;;
	*) echo other ;;
	esac
}

# names_on SYSTEM NAME...: the names of that system for Debian's names.
names_on() {
	on=$1
	shift
	for wanted in "$@"; do
		printf '%s\n' "$package_table" | while read -r debian fedora arch homebrew; do
			[ "$debian" = "$wanted" ] || continue
			case $on in
			fedora) found=$fedora ;;
			arch) found=$arch ;;
			homebrew) found=$homebrew ;;
			*) found=$debian ;;
			esac
			[ "$found" = - ] || printf ' %s' "$found"
		done
	done
}

# say_missing NAME...: one line with the missing packages and the command that installs them. Prints
# nothing on Debian and on unknown systems.
say_missing() {
	system=$(system_name)
	names=$(names_on "$system" "$@")
	case $system in
	fedora) say "on Fedora: dnf install$(spaced "$names")" ;;
	arch) say "on Arch Linux: pacman -S$(spaced "$names")" ;;
	homebrew) say "with Homebrew: brew install$(spaced "$names") (xcode: xcode-select --install; pip:NAME: pip install NAME)" ;;
	esac
}

# spaced TEXT: the text with a blank for each comma.
spaced() {
	spaced_rest=$1
	while :; do
		case $spaced_rest in
		*,*) spaced_rest="${spaced_rest%%,*} ${spaced_rest#*,}" ;;
		*) break ;;
		esac
	done
	printf '%s' "$spaced_rest"
}

# has_icd PATTERN...: whether a driver's file has such a name.
has_icd() {
	for pattern in "$@"; do
		for file in "${PMPP_ICDS:-/etc/OpenCL/vendors}"/$pattern; do
			[ -e "$file" ] && return 0
		done
	done
	return 1
}

# Says in one line for each GPU of AMD or Intel which package has its OpenCL driver, if no such driver is
# installed. A GPU driver is never installed here.
say_gpu_driver() {
	[ -n "${OCL_ICD_VENDORS:-}${OCL_ICD_FILENAMES:-}" ] && return 0
	said=
	for file in "${PMPP_DRM:-/sys/class/drm}"/card*/device/vendor; do
		[ -r "$file" ] || continue
		read -r vendor <"$file"
		case "$vendor $said" in
		0x1002*amd* | 0x8086*intel*) ;;
		0x1002*)
			said="$said amd"
			has_icd 'amdocl*.icd' 'rusticl.icd' ||
				say "AMD GPU without an OpenCL driver: install$(driver_names amd-opencl "rocm-opencl-icd or mesa-opencl-icd") (docs/vendors.md)"
			;;
		0x8086*)
			said="$said intel"
			has_icd 'intel*.icd' ||
				say "Intel GPU without an OpenCL driver: install$(driver_names intel-opencl "intel-opencl-icd") (docs/vendors.md)"
			;;
		esac
	done
}

# driver_names NAME DEBIAN: the package on this system.
driver_names() {
	case $(system_name) in
	fedora | arch) names_on "$(system_name)" "$1" ;;
	*) printf ' %s' "$2" ;;
	esac
}
