#!/usr/bin/env bash
# Gradescope runs this script once, when it builds the autograder's image. The zip that you upload contains setup.sh,
# run_autograder, this repository as asynclab/ and, if you have one, course.toml.
set -eu
cd "${AUTOGRADER:-/autograder}/source/asynclab"
./lab doctor # installs compilers and libraries, and builds
