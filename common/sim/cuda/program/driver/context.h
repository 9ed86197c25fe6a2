// Contexts, for the functions whose form differs between CUDA 12 and CUDA 13.
#pragma once

namespace sim::cuda {

/// cuCtxCreate in all its forms: returns a CUresult.
int create_context(void** context, unsigned flags, int device);

} // namespace sim::cuda
