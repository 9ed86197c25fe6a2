#!/usr/bin/env bash
# Gradescope runs this once, when the autograder's image is made. The zip that you upload holds setup.sh, run_autograder,
# course.toml (or none) and this repository as asynclab/.
set -eu
cd "${AUTOGRADER:-/autograder}/source/asynclab"
./lab doctor # gets compilers and libraries, builds
