"""asynclab from Python: run CUDA programs and PTX kernels on the simulated device, and read the verdict.

    import asynclab
    verdict = asynclab.run("kernel.cu")
    for finding in verdict.findings:
        print(finding)                      # kernel.cu:41: error: missing-wait

    kernel = asynclab.Kernel(ptx)           # text, or a path
    done = kernel.launch(grid=2, block=128, args=[numbers, result, numpy.int32(256)])
    done.arrays[1]                          # what the kernel has written to `result`

Nothing here needs a GPU.
"""

from asynclab.memory_model import LitmusError, litmus
from asynclab.runner import AsynclabError, explain, run
from asynclab.testing import case
from asynclab.verdict import Finding, HazardError, Place, Verdict

__all__ = ["AsynclabError", "Finding", "HazardError", "Kernel", "Launched", "LitmusError", "Map", "Place", "Verdict", "case", "explain",
           "from_cuda", "from_triton", "launch_triton", "litmus", "run"]


def __getattr__(name):
    """Kernel and what belongs to it need NumPy; the rest does not."""
    if name in ("Kernel", "Launched", "Map"):
        from asynclab import kernel

        return getattr(kernel, name)
    if name in ("from_cuda", "from_triton", "launch_triton"):
        from asynclab import compilers

        return getattr(compilers, name)
    raise AttributeError(f"module 'asynclab' has no attribute '{name}'")
