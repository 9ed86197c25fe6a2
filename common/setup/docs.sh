# ./lab docs: mkdocs from PyPI in a Python environment of its own, then the site.

mkdocs=(mkdocs-material==9.8.1 mkdocs==1.6.1)

make_docs() {
    source "$root/common/setup/packages.sh"
    type -P python3 >/dev/null || { apt_install python3; type -P python3 >/dev/null || ask_for python3; }
    local python=python3
    if [[ " $* " != *' -h '* && " $* " != *' --help '* ]]; then
        python=$state/venv/bin/python3
        if ! "$python" -c 'import material, mkdocs' 2>/dev/null; then
            make_venv || ask_for python3-venv
            in_log=yes step 'fetching mkdocs-material from PyPI (30 MB)' "$python" -m pip install -q --retries 1 "${mkdocs[@]}" ||
                fail 'the site needs mkdocs-material, and PyPI could not be reached (.asynclab/setup.log has what pip says)' \
                    'connect to the network; or read the pages as they are: docs/README.md'
        fi
    fi
    mkdir -p -- "$build"
    exec {lock}>&-
    exec "$python" "$root/common/setup/docs_site.py" --default "$build/site" "$@"
}
