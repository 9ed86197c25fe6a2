# The stamp records what an earlier run found, so that a later run need not search again. .asynclab/tools is a list of
# assignments (cxx, meson, ninja, nvcc ...), and .asynclab/stamp describes the environment in which they were found.

stamp_key() { printf '%s\n' "asynclab setup 2" "$root" "${LAB_NVCC-}" "${CXX-}" "$(processor)"; }

# The build is for this processor only (-march=native), but machines with different ones may share a home directory.
processor() {
    local line
    while IFS= read -r line; do
        [[ $line == flags* || $line == Features* ]] && { printf '%s' "${line#*: }"; return; }
    done 2>/dev/null </proc/cpuinfo
}

# Size and time of every tool, so that an upgraded compiler is examined again.
stamp_files() { stat -Lc '%n %s %Y' -- "$@" 2>/dev/null; }

stamp_current() {
    local stamp
    [[ -f $state/tools && -f $state/stamp && -f $state/toolchain.json && -f $state/editor/compile_flags.txt ]] || return 1
    source "$state/tools"
    stamp=$(stamp_key; stamp_files "$cxx" "$meson" "$ninja" "$nvcc")
    [[ $stamp == "$(<"$state/stamp")" ]]
}

stamp_write() {
    local name
    for name in cxx meson ninja nvcc nvcc_origin; do printf '%s=%q\n' "$name" "${!name}"; done >"$state/tools"
    { stamp_key; stamp_files "$cxx" "$meson" "$ninja" "$nvcc"; } >"$state/stamp"
}
