// The kernel says that it has begun and waits for a number; the host waits for the first and sends the second.
__global__ void answer(volatile int* mail) {
    mail[0] = 1;
    while (mail[16] == 0) {
    }
    __threadfence_system();
    mail[32] = mail[17] + 1;
}

int main() {
    int* mail;
    cudaHostAlloc(&mail, 64 * sizeof(int), cudaHostAllocMapped);
    for (int i = 0; i < 64; ++i)
        mail[i] = 0;
    answer<<<1, 1>>>(mail);
    volatile int* seen = mail;
    while (seen[0] == 0) {
    }
    seen[17] = 41;
    __sync_synchronize();
    seen[16] = 1;
    return cudaDeviceSynchronize() + seen[32] - 42;
}
