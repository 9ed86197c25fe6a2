#include "sim/ptx/declarations.h"

#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <unistd.h>

using sim::ptx::Declarations;
using Names = std::vector<std::string>;

namespace {

/// What the files of a program with this text declare.
Declarations declared_in(const std::string& text) {
    const auto file = std::filesystem::temp_directory_path() / ("declared_" + std::to_string(getpid()) + ".cu");
    std::ofstream(file) << text;
    Declarations declarations({"", file.string(), "/nowhere/missing.cu"});
    std::filesystem::remove(file);
    return declarations;
}

} // namespace

TEST_CASE("elements of arrays") {
    const auto program = declared_in(R"(
        #define STAGES 3 // of the ring
        constexpr int rows = 2, columns = 8 * rows;
        __device__ alignas(16) int in[64], out[64];
        __global__ void k() {
            __shared__ alignas(128) float tile[STAGES][rows][columns], sum;
            extern __shared__ double buffer[];
            __shared__ const unsigned long long *pointers[4];
            __shared__ cuda::barrier<cuda::thread_scope_block> full[STAGES];
        })");
    CHECK(program.part("tile", 3 * 2 * 16 * 4, 0, 1) == "[0][0][0]");
    CHECK(program.part("tile", 3 * 2 * 16 * 4, (16 + 5) * 4, 1) == "[0][1][5]");
    CHECK(program.part("tile", 3 * 2 * 16 * 4, (2 * 32 + 1) * 4 + 3, 1) == "[2][0][1]");
    CHECK(program.part("sum", 4, 0, 1) == "");
    CHECK(program.part("out", 256, 100, 1) == "[25]");
    CHECK(program.part("out", 256, 256, 1) == "[64]"); // just beyond it
    CHECK(program.part("buffer", 0, 24, 1) == "[3]");
    CHECK(program.part("pointers", 32, 16, 1) == "[2]");
    CHECK(program.part("full", 24, 8, 1) == "[1]");
    CHECK(program.part("tile", 100, 0, 1) == std::nullopt); // another variable of that name
    CHECK(program.part("missing", 100, 0, 1) == std::nullopt);
}

TEST_CASE("dimensions that the text does not give") {
    const auto program = declared_in(R"(
        template <int N, typename T> __global__ void k() {
            __shared__ float row[N], square[N][N], wide[4][N];
            __shared__ T any[64];
        }
        constexpr int N = 4; // another one)");
    CHECK(program.part("row", 128, 8, 1) == "[2]");
    CHECK(program.part("square", 256, 8, 1) == std::nullopt);
    CHECK(program.part("wide", 4 * 8 * 4, 9 * 4, 1) == "[1][1]");
    CHECK(program.part("any", 256, 0, 1) == std::nullopt);
}

TEST_CASE("members of structures") {
    const auto program = declared_in(R"(
        constexpr size_t stages = 2;
        using Barrier = uint64_t;
        struct Pair { char tag; double value; };
        struct alignas(128) Ring {
            static constexpr int depth = 4;
            float tile[stages][depth];
            Barrier full[stages], empty[stages];
            Pair pairs[2];
            __device__ void wait(int stage) { while (!full[stage]) ; }
            int last;
        };
        struct Base { int x; };
        struct Derived : Base { int y; };
        union Either { int a; float b; };
        __global__ void k() {
            __shared__ Ring ring, rings[2];
            __shared__ Derived derived;
            __shared__ Either either;
            __shared__ struct { int a[2]; short b; } nameless;
        })");
    CHECK(program.part("ring", 128, 20, 1) == ".tile[1][1]");
    CHECK(program.part("ring", 128, 56, 1) == ".empty[1]");
    CHECK(program.part("ring", 128, 64 + 16, 1) == ".pairs[1].tag");
    CHECK(program.part("ring", 128, 64 + 17, 1) == std::nullopt); // padding
    CHECK(program.part("ring", 128, 96, 1) == ".last");
    CHECK(program.part("rings", 256, 128 + 40, 1) == "[1].full[1]");
    CHECK(program.part("nameless", 12, 8, 1) == ".b");
    CHECK(program.part("derived", 8, 4, 1) == std::nullopt);
    CHECK(program.part("either", 4, 0, 1) == std::nullopt);
}

TEST_CASE("two variables of one name") {
    const auto program = declared_in(R"(
        __global__ void a() { __shared__ int tile[64]; __shared__ int same[8]; }
        __global__ void b() { __shared__ int tile[2][16]; __shared__ short same[16]; })");
    CHECK(program.part("tile", 256, 4, 1) == "[1]");
    CHECK(program.part("tile", 128, 68, 1) == "[1][1]");
    CHECK(program.part("same", 32, 8, 1) == std::nullopt);
}

TEST_CASE("parameters of kernels") {
    const auto program = declared_in(R"(
        __global__ void __launch_bounds__(128, 2) copy(const int* __restrict__ in, int *out, int n = 4);
        template <class T> __global__ void scale(T* data, std::array<int, 2> shape, const __grid_constant__ CUtensorMap map) {}
        __global__ void twice(int* a) {}
        __global__ void twice(int* b) {}
        __global__ void none() {})");
    CHECK(program.parameters("copy", 3, 1) == Names{"in", "out", "n"});
    CHECK(program.parameters("copy", 2, 1) == Names{});
    CHECK(program.parameters("scale", 3, 1) == Names{"data", "shape", "map"});
    CHECK(program.parameters("twice", 1, 1) == Names{});
    CHECK(program.parameters("none", 0, 1) == Names{});
}

TEST_CASE("a text that is no program is read, too") {
    for (const char* text : {"", "struct", "struct {", "__shared__", "__shared__ int a[", "constexpr int a = (", "/* ",
                             "\"", "template <", "__global__ void k(", "using a = ", "alignas(", "#define",
                             "struct S { int a[", "__shared__ struct alignas(", "R\"(", "}{)(][", "__shared__ x<"})
        CHECK(declared_in(text).part("a", 4, 0, 1).value_or("") == "");
}
