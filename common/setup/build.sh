# Runs Meson once, then Ninja. Prints nothing if there is nothing to do, one progress line while it works, and the
# compiler's messages if it fails.

configure() {
    local werror=false again=()
    if [[ -f $build/build.ninja ]]; then
        # Without our copy of the machine file, somebody configured the folder by hand: use it as it is.
        [[ -f $build/lab-native.ini ]] || return 0
        if cmp -s "$state/native.ini" "$build/lab-native.ini"; then
            cmp -s "$state/toolchain.json" "$build/lab-toolchain.json" && return
            again=(--reconfigure) # another nvcc: Ninja rebuilds only what includes its headers
        fi
    fi
    ((${#again[@]})) || rm -rf -- "$build"
    mkdir -p -- "$build" || return
    # A compiler that has not been tested yet may print new warnings. They must not stop a newcomer's build.
    [[ ${CI-} == true ]] && werror=true
    say "configuring the build $ellipsis"
    if ! NINJA=$ninja "$meson" setup "$build" "$root" --native-file "$state/native.ini" "-Dwerror=$werror" "${again[@]}" >"$state/configure.log" 2>&1 </dev/null; then
        grep -E 'ERROR|error:' "$state/configure.log" >&2 || tail -n 15 "$state/configure.log" >&2
        rm -rf -- "$build"
        fail "Meson could not configure the build" "read its messages above (the full log is .asynclab/configure.log); './lab clean --all' removes everything so that the next ./lab sets up again"
    fi
    cp -- "$state/native.ini" "$build/lab-native.ini"
    cp -- "$state/toolchain.json" "$build/lab-toolchain.json"
}

build_target() { # Ninja targets
    # A tree without the list of what the runner needs builds everything.
    [[ " $* " == *' lab '* ]] && ! grep -q '^build lab:' "$build/build.ninja" && set -- all
    run_ninja "$@" && return
    # A library may have disappeared since the stamp was written. Then set up again and retry once.
    source "$root/common/setup/setup.sh"
    if [[ -n $(missing_packages) ]]; then
        set_up && configure && run_ninja "$@" && return
    fi
    compiler_errors
    fail "the build failed" "if you changed asynclab's own code, fix the errors above (the full log is build/lab-build.log); otherwise run './lab clean' and try again"
}

run_ninja() { # Ninja targets
    local began=$EPOCHSECONDS
    (
        exec {lock}>&-
        # If there is a ccache, a second clone finds what the first compiled: the precompiled headers, too, and only for
        # this processor (-march=native).
        export CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS-pch_defines,time_macros}
        export CCACHE_NAMESPACE=${CCACHE_NAMESPACE-asynclab $(processor | cksum)}
        NINJA=$ninja NINJA_STATUS='[%f/%t] ' exec "$ninja" -C "$build" "$@" 2>&1 </dev/null
    ) | follow_ninja "$@"
    local status=${PIPESTATUS[0]} seconds=$((EPOCHSECONDS - began))
    ((status || seconds < 10)) || say "built in $seconds s"
    return "$status"
}

follow_ninja() { # Ninja targets
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
        # Ninja does not print the total before its first step is done.
        ((total)) || total=$("$ninja" -C "$build" -n "$@" 2>/dev/null | grep -c '^\[')
        [[ ! $first || $hint ]] || hint=" (first time, about $(estimate "$total"))"
        if [[ $fancy ]]; then
            printf -v text 'lab: %d of %d: %s%s %s' "$finished" "$total" "$what" "$hint" "$ellipsis"
            columns=$(stty size <&2 2>/dev/null)
            columns=${COLUMNS:-${columns#* }}
            printf '\r\e[K%s' "${text:0:${columns:-80}-1}" >&2 # a line that wraps cannot be erased
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

# One step takes one core about two and a half seconds.
estimate() {
    local minutes=$((($1 * 5 / 2 / $(nproc) + 30) / 60))
    if ((minutes <= 1)); then printf 'a minute'; else printf '%d minutes' "$minutes"; fi
}

# Ninja prints FAILED, the command and the compiler's messages: keep the messages. Meson's errors come before FAILED.
compiler_errors() {
    awk -v ellipsis="$ellipsis" '/^\[[0-9]+\/[0-9]+\] / || /^ninja: / { next }
         /^FAILED: / { failed = skip = 1; next }
         /ERROR: / && !failed { print }
         skip { skip = 0; next }
         failed { print; if (++lines == 40) { print "     " ellipsis " (more in the log)"; exit } }' "$build/lab-build.log" >&2
}
