// A CUDA function that the simulated device does not have, in a program that does not look at errors.
#include <cstdio>

int main() {
    int* x;
    cudaMalloc(&x, 4);
#ifndef CORRECT
    cudaGraph_t graph;
    cudaGraphCreate(&graph, 0);
#endif
    std::puts("done");
}
