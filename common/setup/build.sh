# Meson once, then Ninja: silent when there is nothing to do, one progress line while it works, the compiler's
# words when it fails.

configure() {
    local werror=false again=()
    if [[ -f $build/build.ninja ]]; then
        # Without our copy of the machine file the directory was configured by hand: use it as it is.
        [[ -f $build/lab-native.ini ]] || return 0
        if cmp -s "$state/native.ini" "$build/lab-native.ini"; then
            cmp -s "$state/toolchain.json" "$build/lab-toolchain.json" && return
            again=(--reconfigure) # another nvcc: only what includes its headers is built anew
        fi
    fi
    ((${#again[@]})) || rm -rf -- "$build"
    mkdir -p -- "$build" || return
    # Warnings of compilers that nobody has tried yet must not keep a newcomer out.
    [[ ${CI-} == true ]] && werror=true
    say "configuring the build $ellipsis"
    if ! NINJA=$ninja "$meson" setup "$build" "$root" --native-file "$state/native.ini" "-Dwerror=$werror" "${again[@]}" >"$state/configure.log" 2>&1 </dev/null; then
        grep -E 'ERROR|error:' "$state/configure.log" >&2 || tail -n 15 "$state/configure.log" >&2
        rm -rf -- "$build"
        fail "Meson could not configure the build" "the whole log is .asynclab/configure.log"
    fi
    cp -- "$state/native.ini" "$build/lab-native.ini"
    cp -- "$state/toolchain.json" "$build/lab-toolchain.json"
}

build_target() { # $1: Ninja target
    local target=$1
    # A tree without the list of what the runner needs builds everything.
    [[ $target == lab ]] && ! grep -q '^build lab:' "$build/build.ninja" && target=all
    run_ninja "$target" && return
    # Did a library vanish since the stamp was written? Then set up anew and try once more.
    source "$root/common/setup/setup.sh"
    if [[ -n $(missing_packages) ]]; then
        set_up && configure && run_ninja "$target" && return
    fi
    compiler_errors
    fail "the build failed" "the whole log is build/lab-build.log; if it makes no sense, try './lab clean' first"
}

run_ninja() {
    local began=$EPOCHSECONDS
    (
        exec {lock}>&-
        NINJA=$ninja NINJA_STATUS='[%f/%t] ' exec "$ninja" -C "$build" "$1" 2>&1 </dev/null
    ) | follow_ninja "$1"
    local status=${PIPESTATUS[0]} seconds=$((EPOCHSECONDS - began))
    ((status || seconds < 10)) || say "built in $seconds s"
    return "$status"
}

follow_ninja() { # $1: Ninja target
    local line part= finished=0 total=0 shown= spoke=0 what='building the simulated device'
    local first= hint= text columns
    [[ -x $runner ]] || first=yes
    exec {out}>"$build/lab-build.log"
    while :; do
        if IFS= read -r -t 1 line; then
            line=$part$line part=
            [[ $line == 'ninja: Entering directory'* || $line == 'ninja: no work to do.' ]] && continue
            printf '%s\n' "$line" >&"$out"
            [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] && finished=${BASH_REMATCH[1]} total=${BASH_REMATCH[2]}
        elif (($? > 128)); then
            part+=$line
        else
            break
        fi
        ((EPOCHSECONDS - began >= 1)) || continue
        # Ninja itself names no total before its first step is done.
        ((total)) || total=$("$ninja" -C "$build" -n "$1" 2>/dev/null | grep -c '^\[')
        [[ ! $first || $hint ]] || hint=" (first time, about $(estimate "$total"))"
        if [[ $fancy ]]; then
            printf -v text 'lab: %d of %d: %s%s %s' "$finished" "$total" "$what" "$hint" "$ellipsis"
            columns=$(stty size <&2 2>/dev/null)
            columns=${COLUMNS:-${columns#* }}
            printf '\r\e[K%s' "${text:0:${columns:-80}-1}" >&2 # a line that breaks cannot be taken back
            shown=yes
        elif [[ ! $shown ]]; then
            say "$what$hint $ellipsis"
            shown=yes spoke=$EPOCHSECONDS
        elif ((EPOCHSECONDS - spoke >= 30)); then
            say "$what: $finished of $total $ellipsis"
            spoke=$EPOCHSECONDS
        fi
    done
    [[ $fancy && $shown ]] && printf '\r\e[K' >&2
    return 0
}

# A step takes about three seconds of one core.
estimate() {
    local minutes=$((($1 * 3 / $(nproc) + 30) / 60))
    if ((minutes <= 1)); then printf 'a minute'; else printf '%d minutes' "$minutes"; fi
}

# Ninja prints FAILED, the command, then what the compiler said: keep the last. Meson speaks before FAILED.
compiler_errors() {
    awk -v ellipsis=$ellipsis '/^\[[0-9]+\/[0-9]+\] / || /^ninja: / { next }
         /^FAILED: / { failed = skip = 1; next }
         /ERROR: / && !failed { print }
         skip { skip = 0; next }
         failed { print; if (++lines == 40) { print "     " ellipsis " (more in the log)"; exit } }' "$build/lab-build.log" >&2
}
