# The launcher's messages. All go to stderr, because stdout belongs to the runner.

fancy=
[[ -t 2 && -z ${NO_COLOR-} && ${CI-} != true && ${TERM-dumb} != dumb ]] && fancy=yes

# ASCII if the locale is not UTF-8, as in the runner (common/runner/terminal.cpp).
ellipsis=…
[[ ${LC_ALL:-${LC_CTYPE:-${LANG:-UTF-8}}} =~ [Uu][Tt][Ff]-?8 ]] || ellipsis=...

# As the runner's (common/runner/language.cpp): the first that is set decides.
translate() { said=$1; }
said=${LAB_LANG:-${LC_ALL:-${LC_MESSAGES:-${LANG-}}}}
[[ ${said%%[_.-]*} != zh ]] || source "$root/common/setup/zh.sh"

say() {
    translate "$*"
    printf 'lab: %s\n' "$said" >&2
}

# fail WHAT NEXT: says what happened and what to do, and exits with code 2.
fail() {
    local error
    translate 'error: ' && error=$said
    translate "$1"
    if [[ $fancy ]]; then printf 'lab: \e[1;31m%s\e[0m%s\n' "$error" "$said" >&2; else printf 'lab: %s%s\n' "$error" "$said" >&2; fi
    if [[ -n ${2-} ]]; then
        translate "$2"
        translate "next: $said"
        printf '     %s\n' "$said" >&2
    fi
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
