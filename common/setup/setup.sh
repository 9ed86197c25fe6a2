# The slow path: looks for everything, installs what is missing, and records what it found.

source "$root/common/setup/packages.sh"
source "$root/common/setup/nvcc.sh"

set_up() {
    find_packages
    find_nvcc
    write_toolchain
    stamp_write
}

quoted() { # the arguments as a comma-separated list of "strings", for JSON
    local out= item
    for item; do
        item=${item//\\/\\\\}
        out+="${out:+, }\"${item//\"/\\\"}\""
    done
    printf '%s' "$out"
}

write_toolchain() {
    local launcher= include_dirs=()
    type -P ccache >/dev/null && launcher="'ccache', "
    mapfile -t include_dirs < <(python3 "$root/common/setup/cuda_headers.py" "$nvcc")
    cat >"$state/toolchain.json" <<END
{
    "nvcc": $(quoted "$nvcc"),
    "version": $(quoted "$nvcc_version"),
    "flags": [$(quoted "${nvcc_flags[@]}")],
    "include_dirs": [$(quoted "${include_dirs[@]}")],
    "host_compiler": $(quoted "$cxx"),
    "origin": $(quoted "$nvcc_origin")
}
END
    # Meson always sees nvcc at the same place, so a new toolkit does not cause a new build.
    mkdir -p -- "$state/bin"
    printf '#!/bin/sh\nexec%s "$@"\n' "$(printf ' %q' "$nvcc" "${nvcc_flags[@]}")" >"$state/bin/nvcc"
    chmod +x "$state/bin/nvcc"
    cat >"$state/native.ini" <<END
# $("$cxx" --version | head -n 1), for $(processor | cksum)
[binaries]
cpp = [$launcher'$cxx']
nvcc = '$state/bin/nvcc'
[built-in options]
pkg_config_path = ['$state/lib/pkgconfig']
END
}
