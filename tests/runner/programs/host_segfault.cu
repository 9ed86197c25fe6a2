__global__ void kernel(int* out) {
    *out = 1;
}

int main() {
    int* device = nullptr;
    cudaMalloc(&device, sizeof *device);
    kernel<<<1, 1>>>(device);
    return *device; // the host cannot read device memory
}
