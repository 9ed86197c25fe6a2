// Between the functions that CUDA 12 and 13 declare differently and the rest of the runtime: without the toolkit's
// headers, which know only one of the two forms.
#pragma once

#include <cstddef>
#include <cstdint>

#include "sim/machine/gpu.h"

namespace sim::cuda {

/// Calls `use` with the device's properties; returns a CUDA error code.
int with_device(int device, void (*use)(const machine::Properties&, void* to), void* to);

/// cudaGraphAddNode; `edges` may be nullptr.
int add_graph_node(void* result, void* graph, const void* dependencies, const void* edges, size_t count,
                   void* parameters);

/// CUDART_VERSION of the headers that the runtime was built with.
int built_version();

} // namespace sim::cuda
