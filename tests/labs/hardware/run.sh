#!/usr/bin/env bash
# What a real GPU and compute-sanitizer notice of the wrong versions of the labs, and how fast the solutions are.
#   tests/labs/hardware/run.sh OUT-DIRECTORY [verdicts]     (needs a GPU, nvcc, compute-sanitizer)
# LABS="09 10" chooses labs, TOOLS="memcheck" tools; both may be left out, and TOOLS may be empty.
set -u
labs=${LABS:-00 01 02 03 04 05 06 07 08 09 10 11 12}
export tools_wanted=${TOOLS-memcheck racecheck synccheck initcheck}
out=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "$0")/../../.." || exit 2
work=$(mktemp -d)
flags="-O3 -lineinfo -std=c++20 -Icommon/check/student -gencode arch=compute_90,code=sm_90"
stubs=$(dirname "$(command -v nvcc)")/../lib64/stubs
nvcc $flags -c tests/labs/hardware/harness.cu -o "$work/harness.o" || exit 2

build() { # build SOURCE NAME
    nvcc $flags -c "$1" -o "$work/$2.o" && nvcc -arch=sm_90 "$work/harness.o" "$work/$2.o" -L"$stubs" -lcuda -o "$work/$2"
}
export -f build
export flags work stubs
list=
for lab in $labs; do
    folder=$(basename labs/${lab}_*)
    list+="solutions/$folder/kernel.cu $lab-solution"$'\n'"labs/$folder/kernel.cu $lab-skeleton"$'\n'
    for kind in wrong correct; do
        for file in tests/labs/"$folder"/$kind/*.cu; do
            list+="$file $lab-$kind-$(basename "$file" .cu)"$'\n'
        done
    done
done
printf '%s' "$list" | xargs -P "$(nproc)" -L1 bash -c 'build "$0" "$1" >/dev/null 2>"$work/$1.log" || echo "does not build: $0"'

if [ "${2:-}" != verdicts ]; then
echo "== speed" | tee "$out/speed.txt"
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | tee -a "$out/speed.txt"
for lab in $labs; do
    case $lab in 00 | 04) continue ;; esac
    timeout 60 "$work/$lab-solution" "$lab" bench | tee -a "$out/speed.txt"
done
fi

judge() { # judge LAB NAME: plain runs, then the four tools
    local lab=$1 name=$2 plain=right tools=
    for _ in 1 2 3; do
        timeout 10 "$work/$name" "$lab" compare "$work/$lab.expected" >/dev/null 2>&1
        case $? in
        0) ;;
        1) plain=wrong-result; break ;;
        124) plain=hangs; break ;;
        *) plain=error; break ;;
        esac
    done
    for tool in $tools_wanted; do
        timeout 20 compute-sanitizer --tool $tool --error-exitcode 99 "$work/$name" "$lab" compare "$work/$lab.expected" \
            >"$work/$name.$tool" 2>&1
        [ $? = 99 ] && tools+="$tool "
    done
    printf '%s\t%s\t%s\t%s\n' "$lab" "$name" "$plain" "${tools:-nothing}"
}
export -f judge
for lab in $labs; do
    timeout 60 "$work/$lab-solution" "$lab" dump "$work/$lab.expected" || echo "solution of $lab fails"
done
(cd "$work" && ls | grep -E '^[0-9]{2}-[a-z_0-9A-Z-]+$' | grep -v '\.') |
    xargs -P 12 -I{} bash -c 'name={}; judge "${name%%-*}" "$name"' >"$out/verdicts.tsv"
cut -f3 "$out/verdicts.tsv" | sort | uniq -c
cut -f4 "$out/verdicts.tsv" | sort | uniq -c
sort "$out/verdicts.tsv"
