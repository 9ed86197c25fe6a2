// Conversions of the C library's locale, and lengths that do not exist.
__global__ void prints_wide() {
    printf("%ls %lc %S %C %'d %I64d %Lf %qd %m %k %!\n", L"x", L'y', L"z", L'w', 1, 2ll, 3.0, 4ll);
    printf("%hhhhd %llllx %zzu %jjd %.-5d %--+0 d %5$*4$.*3$d\n", 1, 2, 3, 4, 5);
    printf("%");
    printf("%l");
    printf("%.");
    printf("%*");
}
static void prints_wide_characters(const float* in, float* out, int n) {
    prints_wide<<<1, 32, 0, given>>>();
    cudaDeviceSynchronize();
}
