// source: cuCollections#389, insert_and_find returns before the payload of the slot has been written
// cause: The thread that finds the key reads the value while the thread that inserted the key may not have stored it
//     yet.
// rule: read-after-write-race
#include <cstdio>
#include <vector>

constexpr int slots = 64, threads = 64, empty = -1;

struct Slot {
    int key, value;
};

__global__ void insert_and_find(Slot* table, const int* keys, int* found) {
    const int i = blockIdx.x * threads + threadIdx.x, key = keys[i];
    for (int s = key % slots;; s = (s + 1) % slots) {
        const int old = atomicCAS(&table[s].key, empty, key);
        if (old == empty) {
            table[s].value = 10 * key; // <-- cause
            found[i] = 10 * key;
            return;
        }
        if (old == key) {
            found[i] = table[s].value; // <-- cause
            return;
        }
    }
}

int* to_device(const std::vector<int>& values) {
    int* p;
    cudaMalloc(&p, values.size() * sizeof(int));
    cudaMemcpy(p, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice);
    return p;
}

std::vector<int> to_host(const int* p, int n) {
    std::vector<int> values(n);
    cudaMemcpy(values.data(), p, n * sizeof(int), cudaMemcpyDeviceToHost);
    return values;
}

int verdict(int wrong) {
    const cudaError_t error = cudaDeviceSynchronize();
    std::printf("%s, %d wrong\n", cudaGetErrorString(error), wrong);
    return error != cudaSuccess || wrong != 0;
}

int main() {
    std::vector<int> keys(4 * threads);
    for (int i = 0; i < 4 * threads; ++i)
        keys[i] = i * 11 % 40;
    std::vector<int> cells(2 * slots, empty);
    int *table = to_device(cells), *found = to_device(std::vector<int>(4 * threads));
    insert_and_find<<<4, threads>>>(reinterpret_cast<Slot*>(table), to_device(keys), found);
    const std::vector<int> result = to_host(found, 4 * threads);
    int wrong = 0;
    for (int i = 0; i < 4 * threads; ++i)
        wrong += result[i] != 10 * keys[i];
    return verdict(wrong);
}
