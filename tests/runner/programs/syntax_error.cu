__global__ void kernel(int* out) {
    *out = undeclared;
}
int main() {}
