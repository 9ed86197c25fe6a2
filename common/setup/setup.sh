# The slow path: looks for everything, installs missing packages, and records the paths.

source "$root/common/setup/packages.sh"
source "$root/common/setup/nvcc.sh"

set_up() {
    find_packages
    find_nvcc
    write_toolchain
    stamp_write
}

# How clangd reads .cu files (.clangd, docs/editor.md): $@ are the folders of the toolkit's headers. The line breaks
# separate arguments.
write_clangd_flags() {
    mkdir -p -- "$state/editor"
    {
        printf '%s\n' -xcuda --cuda-host-only --cuda-gpu-arch=sm_80 -nocudainc -nocudalib -Wno-unknown-cuda-version
        printf '%s\n' -std=c++20 -Xclang -fcuda-allow-variadic-functions
        printf '%s\n' "-DLAB_CUDA_MAJOR=${nvcc_version%%.*}" "-DLAB_CUDA_MINOR=${nvcc_version#*.}"
        printf '%s\n' -include "$root/common/setup/clangd.h" "-I$root/common/check/student"
        (($#)) && printf -- '-isystem\n%s\n' "$@"
    } >"$state/editor/compile_flags.txt"
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
    write_clangd_flags "${include_dirs[@]}"
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
