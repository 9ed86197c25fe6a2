// expect: cudaGraphCreate is not supported by the simulated device
#include "check.h"

int main() {
    cudaGraph_t graph;
    CHECK(cudaGraphCreate(&graph, 0) == cudaErrorNotSupported);
}
