# NVIDIA's compiler: the machine's own if it is new enough, else the wheels that NVIDIA publishes on PyPI.

oldest_nvcc=12.4
# One set that is known to work together, without a driver and without a toolkit: 100 MB to fetch.
wheels=(nvidia-cuda-nvcc==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-runtime==13.0.96
    nvidia-cuda-cccl==13.0.85)

find_nvcc() {
    local candidate kept= tried=
    if [[ -n ${LAB_NVCC-} ]]; then
        candidate=$(type -P "$LAB_NVCC") || fail "LAB_NVCC names '$LAB_NVCC', which is not a program" "give the path of nvcc, or unset LAB_NVCC"
        nvcc_origin=LAB_NVCC
        try_nvcc "$candidate" && return
        fail "LAB_NVCC: $candidate $nvcc_problem" "give another nvcc ($oldest_nvcc or newer), or unset LAB_NVCC and let ./lab find one"
    fi
    # Stay with an earlier choice while it works: shells differ in PATH, and nobody wants to build anew for that.
    [[ ${nvcc_origin-} == found ]] && kept=${nvcc-}
    nvcc_origin=found
    while IFS= read -r candidate; do
        [[ -n $candidate && -x $candidate && $tried != *" $(realpath -- "$candidate") "* ]] || continue
        tried+=" $(realpath -- "$candidate") "
        try_nvcc "$candidate" && return
        say "$candidate $nvcc_problem; looking further"
    done < <(printf '%s\n' "$kept" "$(type -P nvcc)" {"${CUDA_HOME-}","${CUDA_PATH-}",/usr/local/cuda}/bin/nvcc
        compgen -G '/usr/local/cuda-*/bin/nvcc' | sort -rV
        printf '%s\n' /opt/cuda/bin/nvcc /usr/lib/nvidia-cuda-toolkit/bin/nvcc)
    candidate=$state/cuda/nvidia/cu13/bin/nvcc
    [[ -x $candidate ]] && try_nvcc "$candidate" && return
    fetch_nvcc
    try_nvcc "$candidate" || fail "the compiler from PyPI $nvcc_problem" "the log is .asynclab/setup.log; or install the CUDA toolkit $oldest_nvcc or newer and set LAB_NVCC"
}

fetch_nvcc() {
    make_venv || ask_for python3-venv
    rm -rf -- "$state/cuda.part" "$state/cuda"
    step "fetching NVIDIA's compiler from PyPI (nvcc 13.0, 100 MB)" \
        "$state/venv/bin/python3" -m pip install -q --no-compile --no-deps --target "$state/cuda.part" "${wheels[@]}" ||
        fail "no nvcc on this machine, and PyPI could not be reached" "connect to the network, or install the CUDA toolkit $oldest_nvcc or newer (https://developer.nvidia.com/cuda-downloads) and set LAB_NVCC=/path/to/nvcc"
    mv -- "$state/cuda.part" "$state/cuda"
}

# try_nvcc PATH: sets nvcc, nvcc_version and nvcc_flags, or says in nvcc_problem why not.
try_nvcc() {
    local out flags
    nvcc=$1
    [[ ! $nvcc -ef $state/bin/nvcc ]] || { nvcc_problem="is what ./lab itself made, and stands for another nvcc"; return 1; }
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
        # Only a host compiler that is too new for this nvcc is worth another try.
        [[ $out == *unsupported*version* ]] || break
    done
    nvcc_problem="cannot compile a small kernel ($(grep -m 1 -i error <<<"$out"))"
    return 1
}

# A kernel with the headers that the labs need, to an object: host pass, device pass and ptxas.
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
