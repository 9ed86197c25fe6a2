# Compiler, build tools and libraries: the system's own, else from apt-get, else (meson, ninja) from PyPI.

oldest_meson=0.61.2
oldest_gxx=12 # for _Float16

# not_older A B: is version A at least B?
not_older() { [[ $(printf '%s\n' "$2" "$1" | sort -V | head -n 1) == "$2" ]]; }

# The first program of that name in PATH that is not a link to ccache, because Meson adds ccache by itself.
real_compiler() {
    local path
    while IFS= read -r path; do
        [[ $(realpath -- "$path") != */ccache ]] && printf '%s' "$path" && return
    done < <(type -aP "$1")
    return 1
}

find_cxx() {
    local name words
    if [[ -n ${CXX-} ]]; then
        read -ra words <<<"$CXX"
        [[ ${words[0]} == *ccache ]] && words=("${words[@]:1}")
        cxx=$(real_compiler "${words[0]-}")
        return
    fi
    for name in g++ g++-{16..12}; do
        cxx=$(real_compiler "$name") && (($("$cxx" -dumpversion | cut -d. -f1) >= oldest_gxx)) && return
    done
    cxx=
    return 1
}

find_meson() {
    for meson in "$(type -P meson)" "$state/bin/meson"; do
        [[ -x $meson ]] && not_older "$("$meson" --version 2>/dev/null)" $oldest_meson && return
    done
    meson=
    return 1
}

find_ninja() {
    for ninja in "$(type -P ninja)" "$(type -P ninja-build)" "$state/venv/bin/ninja"; do
        [[ -x $ninja ]] && "$ninja" --version >/dev/null 2>&1 && return
    done
    ninja=
    return 1
}

# The Debian names of missing packages, one per line. A library is present if its header is, however it was installed.
missing_packages() {
    type -P python3 >/dev/null || echo python3
    type -P pkg-config >/dev/null || echo pkg-config
    find_meson || echo meson
    find_ninja || echo ninja-build
    if ! find_cxx; then
        printf '%s\n' g++ lib{fmt,zstd,lz4,seccomp,archive,cli11,tomlplusplus}-dev nlohmann-json3-dev doctest-dev
        return
    fi
    "$cxx" -x c++ -std=c++20 -E -P -I "$state/include" - <<'END' | sed -n 's/^missing //p'
#if !__has_include(<fmt/format.h>)
missing libfmt-dev
#endif
#if !__has_include(<nlohmann/json.hpp>)
missing nlohmann-json3-dev
#endif
#if !__has_include(<CLI/CLI.hpp>)
missing libcli11-dev
#endif
#if !__has_include(<toml++/toml.h>)
missing libtomlplusplus-dev
#endif
#if !__has_include(<zstd.h>)
missing libzstd-dev
#endif
#if !__has_include(<lz4.h>)
missing liblz4-dev
#endif
#if !__has_include(<seccomp.h>)
missing libseccomp-dev
#endif
#if !__has_include(<archive.h>)
missing libarchive-dev
#endif
#if !__has_include(<doctest/doctest.h>) && !__has_include(<doctest.h>)
missing doctest-dev
#endif
END
}

find_packages() {
    local missing
    [[ -z ${CXX-} ]] || find_cxx || fail "CXX is '$CXX', but there is no such compiler" "set CXX to the path of a C++20 compiler, or unset it and let ./lab find one"
    mapfile -t missing < <(missing_packages)
    if ((${#missing[@]})); then
        apt_install "${missing[@]}"
        mapfile -t missing < <(missing_packages)
    fi
    # Three of them are available without apt-get.
    if ! grep -qvE '^(|meson|ninja-build|libtomlplusplus-dev)$' < <(printf '%s\n' "${missing[@]}"); then
        [[ " ${missing[*]} " == *' libtomlplusplus-dev '* ]] && fetch_tomlplusplus
        [[ " ${missing[*]} " == *' meson '* || " ${missing[*]} " == *' ninja-build '* ]] && pip_tools
        mapfile -t missing < <(missing_packages)
    fi
    ((${#missing[@]} == 0)) || ask_for "${missing[@]}"
    find_cxx && find_meson && find_ninja
}

# Succeeds for root, and if sudo asks for no password.
apt_prefix() {
    type -P apt-get >/dev/null || return 1
    as_root=(env DEBIAN_FRONTEND=noninteractive)
    ((EUID == 0)) && return
    type -P sudo >/dev/null && sudo -n true 2>/dev/null || return 1
    as_root=(sudo -n "${as_root[@]}")
}

# The newest version that apt-get could install. (madison takes names as they are; policy and install take "g++-14",
# for a regular expression if there is no such package.)
apt_version() { apt-cache madison "$1" 2>/dev/null | awk -F ' *[|] *' '{ print $2; exit }'; }
apt_has() { [[ -n $(apt_version "$1") ]]; }

# If the default g++ is too old (Ubuntu 22.04), the distribution has a newer one under another name.
apt_names() {
    local package version
    for package; do
        if [[ $package == g++ && $(apt_version g++) =~ ^([0-9]+:)?([0-9]+) ]] && ((BASH_REMATCH[2] < oldest_gxx)); then
            for version in {14..12}; do
                apt_has "g++-$version" && package=g++-$version && break
            done
        fi
        printf '%s\n' "$package"
    done
}

# Installs the packages that the distribution has and ignores the others.
apt_install() {
    local as_root=() known=() package
    apt_prefix || return 0
    compgen -G '/var/lib/apt/lists/*Packages*' >/dev/null ||
        step 'fetching the list of system packages' "${as_root[@]}" apt-get update || return 0
    for package in $(apt_names "$@"); do apt_has "$package" && known+=("$package"); done
    ((${#known[@]})) || return 0
    local install=("${as_root[@]}" apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "${known[@]}")
    step "installing with apt-get: ${known[*]} (a minute or two)" "${install[@]}" && return
    step 'updating the list of system packages' "${as_root[@]}" apt-get update && step 'installing again' "${install[@]}"
    return 0
}

ask_for() {
    if type -P apt-get >/dev/null; then
        local sudo='sudo ' update= wanted=() package
        ((EUID == 0)) && sudo=
        compgen -G '/var/lib/apt/lists/*Packages*' >/dev/null || update="${sudo}apt-get update && "
        for package in $(apt_names "$@"); do [[ $update ]] || apt_has "$package" && wanted+=("$package"); done
        # If there is no nvcc either, the next step will need it.
        has_venv || wanted+=(python3-venv)
        fail "these system packages are missing: $*" "run this command, then ./lab again:
       $update${sudo}apt-get install -y --no-install-recommends ${wanted[*]}"
    fi
    fail "these packages are missing (Debian names): $*" "install them with this system's package manager, then run ./lab again"
}

has_venv() { python3 -c 'import ensurepip, venv' 2>/dev/null; }

make_venv() {
    "$state/venv/bin/python3" -m pip --version >/dev/null 2>&1 && return
    has_venv || apt_install python3-venv
    has_venv || return 1
    rm -rf -- "$state/venv"
    step 'making a Python environment in .asynclab/venv' python3 -m venv "$state/venv"
}

pip_tools() {
    make_venv && step 'installing Meson and Ninja from PyPI' "$state/venv/bin/python3" -m pip install -q 'meson>=1.4,<2' ninja
    # Scripts in a venv begin with its path, which may be too long or contain spaces.
    mkdir -p -- "$state/bin"
    printf '#!/bin/sh\nexec %q -m mesonbuild.mesonmain "$@"\n' "$state/venv/bin/python3" >"$state/bin/meson"
    chmod +x "$state/bin/meson"
    find_meson
    find_ninja
}

# Ubuntu 22.04 has no toml++. It consists of headers only, so Debian's package works there.
fetch_tomlplusplus() {
    type -P dpkg-deb >/dev/null || return 1
    step 'fetching the toml++ headers' python3 "$root/common/setup/fetch_tomlplusplus.py" "$state"
}
