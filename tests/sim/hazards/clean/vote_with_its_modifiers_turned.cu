// ptxas takes the .sync of a mnemonic at any place, and CUB writes vote.ballot.sync.b32.
__device__ unsigned out[32];

__global__ void ballot() {
    unsigned even, sum, neighbour;
    asm volatile("{ .reg .pred p; setp.eq.u32 p, %1, 0; vote.ballot.sync.b32 %0, p, 0xffffffff; }"
                 : "=r"(even)
                 : "r"(threadIdx.x & 1));
    asm volatile("redux.add.sync.u32 %0, %1, 0xffffffff;" : "=r"(sum) : "r"(1));
    asm volatile("shfl.down.sync.b32 %0, %1, 1, 31, 0xffffffff;" : "=r"(neighbour) : "r"(threadIdx.x));
    out[threadIdx.x] = even + sum + neighbour;
}

int main() {
    ballot<<<1, 32>>>();
    unsigned last;
    cudaMemcpyFromSymbol(&last, out, sizeof last, 31 * sizeof last);
    return last != 0x55555555u + 32 + 31;
}
