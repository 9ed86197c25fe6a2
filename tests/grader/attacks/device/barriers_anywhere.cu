// Barrier objects outside of shared memory, between others, and freed.
__global__ void barriers_at(unsigned at) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at) : "memory");
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(at) : "memory");
    asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at) : "memory");
    asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }" ::"r"(at) : "memory");
    asm volatile("{ .reg .b64 state; .reg .pred p; mov.b64 state, -1; mbarrier.test_wait.shared.b64 p, [%0], state; }" ::"r"(at) : "memory");
}
static void barriers_anywhere(const float* in, float* out, int n) {
    for (const unsigned at : {1u, 4u, 12u, 1024u - 8, 1024u - 4, 1024u, 0xfffffff8u, 0x7ffffff8u})
        barriers_at<<<1, 1, 1024, given>>>(at);
    cudaDeviceSynchronize();
}
