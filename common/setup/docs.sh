# ./lab docs: installs mkdocs from PyPI into its own Python environment, then builds the site. --fetch only installs it.

mkdocs=(mkdocs-material==9.8.1 mkdocs==1.6.1)

make_docs() {
    source "$root/common/setup/packages.sh"
    type -P python3 >/dev/null || { apt_install python3; type -P python3 >/dev/null || ask_for python3; }
    local python=python3
    if [[ " $* " != *' -h '* && " $* " != *' --help '* ]]; then
        python=$state/venv/bin/python3
        if ! "$python" -c 'import material, mkdocs' 2>/dev/null; then
            make_venv || ask_for python3-venv
            # Another ./lab may set up and build while this one waits for the network.
            exec {lock}>&-
            in_log=yes step 'fetching mkdocs-material from PyPI (30 MB)' "$python" -m pip install -q --retries 1 "${mkdocs[@]}" ||
                fail "the site needs mkdocs-material, but PyPI could not be reached (pip's messages are in .asynclab/setup.log)" \
                    'connect to the network and try again, or read the Markdown pages, beginning with docs/README.md'
        fi
    fi
    [[ " $* " == *' --fetch '* ]] && exit
    mkdir -p -- "$build"
    exec {lock}>&-
    exec "$python" "$root/common/setup/docs_site.py" --default "$build/site" "$@"
}
