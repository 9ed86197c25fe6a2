# The launcher's messages. All go to stderr, because stdout belongs to the runner.

fancy=
[[ -t 2 && -z ${NO_COLOR-} && ${CI-} != true && ${TERM-dumb} != dumb ]] && fancy=yes

# ASCII if the locale is not UTF-8, as in the runner (common/runner/terminal.cpp).
ellipsis=…
[[ ${LC_ALL:-${LC_CTYPE:-${LANG:-UTF-8}}} =~ [Uu][Tt][Ff]-?8 ]] || ellipsis=...

say() { printf 'lab: %s\n' "$*" >&2; }

# fail WHAT NEXT: says what happened and what to do, and exits with code 2.
fail() {
    if [[ $fancy ]]; then printf 'lab: \e[1;31merror:\e[0m %s\n' "$1" >&2; else printf 'lab: error: %s\n' "$1" >&2; fi
    [[ -n ${2-} ]] && printf '     next: %s\n' "$2" >&2
    exit 2
}

# step MESSAGE COMMAND...: runs a slow command and writes its output to the log. If it fails, shows the end of the
# output, unless `in_log` is set.
step() {
    local log=$state/setup.log from
    say "$1 $ellipsis"
    printf '\n== %s\n' "${*:2}" >>"$log"
    from=$(wc -l <"$log")
    (
        exec {lock}>&- # a process left behind must not keep the lock
        exec "${@:2}"
    ) >>"$log" 2>&1 </dev/null && return
    [[ ! ${in_log-} ]] || return 1
    tail -n "+$((from + 1))" "$log" | tail -n 15 >&2
    return 1
}
