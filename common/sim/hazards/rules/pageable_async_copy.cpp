#include "sim/hazards/rule.h"

namespace sim::hazards {

extern const Rule pageable_async_copy;
const Rule pageable_async_copy{
    .name = "pageable-async-copy",
    .severity = Severity::note,
    .title = "cudaMemcpyAsync with pageable host memory is not asynchronous",
    .why = "",
    .remedy = "Allocate the host buffer with cudaMallocHost.",
    .manual = "",
    .wrong = "",
    .right = "",
};

} // namespace sim::hazards
