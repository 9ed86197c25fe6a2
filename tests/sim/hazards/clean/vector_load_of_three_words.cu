// nvcc reads three words as four where the address allows it, and drops the last one: beyond the end of an allocation
// or of the block's shared memory, or another thread's word.
struct alignas(16) Triple {
    int x, y, z;
};
__device__ alignas(16) int counts[99];

__global__ void add_numbers() {
#pragma unroll
    for (int i = 0; i < 99; i++)
        counts[i] += i;
}

__global__ void add_in_shared_memory(int* data) {
    __shared__ alignas(16) int part[99];
    for (int i = threadIdx.x; i < 99; i += 32)
        part[i] = data[i];
    __syncthreads();
    if (threadIdx.x == 0)
#pragma unroll
        for (int i = 0; i < 99; i++)
            part[i] += i;
    __syncthreads();
    for (int i = threadIdx.x; i < 99; i += 32)
        data[i] = part[i];
}

__global__ void fourth_word_is_anothers(int* out) {
    __shared__ alignas(16) int words[8];
    if (threadIdx.x < 8)
        words[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 32)
        words[3] = 100;
    if (threadIdx.x == 0) {
        const Triple v = *reinterpret_cast<const Triple*>(words);
        out[0] = v.x + v.y + v.z;
    }
}

int main() {
    int *data, *out, values[99], sum;
    cudaMalloc(&data, sizeof values);
    cudaMalloc(&out, sizeof sum);
    cudaMemset(data, 0, sizeof values);
    add_numbers<<<1, 1>>>();
    add_in_shared_memory<<<1, 32>>>(data);
    fourth_word_is_anothers<<<1, 64>>>(out);
    cudaMemcpy(values, data, sizeof values, cudaMemcpyDefault);
    for (int i = 0; i < 99; i++)
        if (values[i] != i)
            return 1;
    cudaMemcpyFromSymbol(values, counts, sizeof values);
    for (int i = 0; i < 99; i++)
        if (values[i] != i)
            return 1;
    cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDefault);
    return sum != 3;
}
