// Copies of a structure bring its padding along, which nobody has written.
struct Item {
    char kind;
    int value;
    short rest;
};
struct alignas(16) Position {
    float x, y, z;
};

__device__ Item items[64];
__device__ Position positions[64];

__global__ void rotate() {
    __shared__ Item item[64];
    __shared__ Position position[64];
    const int i = threadIdx.x;
    item[i].kind = char(i);
    item[i].value = i;
    item[i].rest = short(i);
    position[i].x = position[i].y = position[i].z = float(i);
    __syncthreads();
    items[i] = item[63 - i];
    positions[i] = position[63 - i];
}

int main() {
    rotate<<<1, 64>>>();
    return cudaDeviceSynchronize();
}
