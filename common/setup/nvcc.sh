# NVIDIA's compiler: the machine's own if it is new enough, otherwise the wheels that NVIDIA publishes on PyPI.

oldest_nvcc=12.4
# One set of versions that work together without a driver and without a toolkit: a download of 100 MB.
wheels=(nvidia-cuda-nvcc==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-runtime==13.0.96
    nvidia-cuda-cccl==13.0.85)

find_nvcc() {
    local candidate kept= tried=
    if [[ -n ${LAB_NVCC-} ]]; then
        candidate=$(type -P "$LAB_NVCC") || fail "LAB_NVCC is '$LAB_NVCC', but there is no such program" "set LAB_NVCC to the path of nvcc, or unset it and let ./lab find one"
        nvcc_origin=LAB_NVCC
        try_nvcc "$candidate" && return
        fail "LAB_NVCC: $candidate $nvcc_problem" "set LAB_NVCC to another nvcc ($oldest_nvcc or newer), or unset it and let ./lab find one"
    fi
    # Keep an earlier choice while it works: PATH differs between shells, and that should not cause a new build.
    [[ ${nvcc_origin-} == found ]] && kept=${nvcc-}
    nvcc_origin=found
    while IFS= read -r candidate; do
        [[ -n $candidate && -x $candidate && $tried != *" $(realpath -- "$candidate") "* ]] || continue
        tried+=" $(realpath -- "$candidate") "
        try_nvcc "$candidate" && return
        say "$candidate $nvcc_problem; looking for another nvcc"
    done < <(printf '%s\n' "$kept" "$(type -P nvcc)" {"${CUDA_HOME-}","${CUDA_PATH-}",/usr/local/cuda}/bin/nvcc
        compgen -G '/usr/local/cuda-*/bin/nvcc' | sort -rV
        printf '%s\n' /opt/cuda/bin/nvcc /usr/lib/nvidia-cuda-toolkit/bin/nvcc)
    candidate=$state/cuda/nvidia/cu13/bin/nvcc
    [[ -x $candidate ]] && try_nvcc "$candidate" && return
    fetch_nvcc
    try_nvcc "$candidate" || fail "the compiler from PyPI, $candidate, $nvcc_problem" "read .asynclab/setup.log; or install the CUDA toolkit $oldest_nvcc or newer and set LAB_NVCC=/path/to/nvcc"
}

fetch_nvcc() {
    make_venv || ask_for python3-venv
    rm -rf -- "$state/cuda.part" "$state/cuda"
    step "fetching NVIDIA's compiler from PyPI (nvcc 13.0, 100 MB)" \
        "$state/venv/bin/python3" -m pip install -q --no-compile --no-deps --target "$state/cuda.part" "${wheels[@]}" ||
        fail "this machine has no usable nvcc, and downloading one from PyPI failed (see above)" "connect to the network, or install the CUDA toolkit $oldest_nvcc or newer (https://developer.nvidia.com/cuda-downloads) and set LAB_NVCC=/path/to/nvcc"
    mv -- "$state/cuda.part" "$state/cuda"
}

# try_nvcc PATH: sets nvcc, nvcc_version and nvcc_flags, or fails and sets nvcc_problem to the reason.
try_nvcc() {
    local out flags
    nvcc=$1
    [[ ! $nvcc -ef $state/bin/nvcc ]] || { nvcc_problem="is a wrapper that ./lab itself made for another nvcc"; return 1; }
    out=$("$nvcc" --version 2>&1)
    [[ $out =~ release\ ([0-9]+\.[0-9]+) ]] || { nvcc_problem="does not run"; return 1; }
    nvcc_version=${BASH_REMATCH[1]}
    not_older "$nvcc_version" $oldest_nvcc || { nvcc_problem="is CUDA $nvcc_version, too old ($oldest_nvcc or newer is needed)"; return 1; }
    say "trying $nvcc ($nvcc_version) $ellipsis"
    for flags in "$cxx" {15..9} allow; do
        case $flags in
            allow) nvcc_flags=(-ccbin "$cxx" -allow-unsupported-compiler) ;;
            [0-9]*) flags=$(type -P "g++-$flags") && [[ $(realpath "$flags") != "$(realpath "$cxx")" ]] || continue
                nvcc_flags=(-ccbin "$flags") ;;
            *) nvcc_flags=(-ccbin "$flags") ;;
        esac
        if out=$(probe_nvcc 2>&1); then return; fi
        printf '%s\n' "== $nvcc ${nvcc_flags[*]}" "$out" >>"$state/setup.log"
        # Another host compiler helps only if this one is too new for this nvcc.
        [[ $out == *unsupported*version* ]] || break
    done
    nvcc_problem="cannot compile a small kernel ($(grep -m 1 -i error <<<"$out"))"
    return 1
}

# Compiles a kernel with the headers that the labs need to an object: host pass, device pass and ptxas.
probe_nvcc() {
    local folder=$state/probe status
    mkdir -p -- "$folder"
    cat >"$folder/probe.cu" <<'END'
#if !__has_include(<cuda/barrier>) || !__has_include(<cuda/ptx>) || !__has_include(<cuda/pipeline>)
#error the CUDA C++ core libraries (cuda/barrier, cuda/ptx, cuda/pipeline) are missing
#endif
#if !__has_include(<cooperative_groups.h>)
#error cooperative_groups.h is missing
#endif
#include <cuda.h>
#include <cuda_pipeline.h>
#include <vector>
__global__ void probe(float* data, const __grid_constant__ CUtensorMap) {
    __shared__ float tile[32];
    __pipeline_memcpy_async(tile + threadIdx.x, data + threadIdx.x, sizeof(float));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    data[threadIdx.x] = sqrtf(tile[threadIdx.x]);
}
int main() { probe<<<1, 32>>>(nullptr, CUtensorMap{}); }
END
    "$nvcc" "${nvcc_flags[@]}" -std=c++17 -O1 -gencode "arch=compute_90a,code=[compute_90a,sm_90a]" -c "$folder/probe.cu" -o "$folder/probe.o"
    status=$?
    rm -rf -- "$folder"
    return $status
}
