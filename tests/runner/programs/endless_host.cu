__global__ void kernel(int* out) {
    *out = 1;
}

int main() {
    for (volatile int going = 1; going;) {
    }
}
