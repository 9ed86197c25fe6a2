// What of a kernel.cu counts as a change of its host side: there the host's object is made anew, elsewhere it is kept.
#include <algorithm>

#include <doctest/doctest.h>

#include "compile/host_side.h"

using compile::host_side;
using compile::host_text;
using compile::line_in;
using compile::ptx_interface;

namespace {

const std::string source = R"(#include "lab.h"
constexpr int TILE = 256; // elements
template <class T>
__device__ T twice(T x) { return x + x; }
struct Stage { float tile[TILE]; __device__ float first() const { return tile[0]; } };
__global__ void __launch_bounds__(TILE) scale(const float* in, float* out, int n) {
    __shared__ float shared[TILE];
    if (threadIdx.x < n) { out[threadIdx.x] = twice(in[threadIdx.x]); }
}
cudaError_t launch(const float* in, float* out, int n, cudaStream_t stream) {
    scale<<<(n + TILE - 1) / TILE, TILE, 0, stream>>>(in, out, n);
    return cudaGetLastError();
}
LAB_ENTRY(launch)
)";

// The source with the first `from` replaced.
std::string with(std::string_view from, std::string_view to) {
    std::string text = source;
    const size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

bool changes(std::string_view from, std::string_view to) {
    return host_side(with(from, to)) != host_side(source);
}

} // namespace

TEST_CASE("lines matter only where the host code can depend on them") {
    CHECK(host_text(source) == host_side(source));
    for (const char* call : {"assert(n > 0);", "printf(\"%d\", __LINE__);", "std::source_location::current();"}) {
        const std::string text = with("return cuda", std::string(call) + " return cuda");
        CHECK(host_text(text) == text);
    }
    const std::string in_a_kernel = with("if (threadIdx.x < n)", "assert(n > 0); if (threadIdx.x < n)");
    CHECK(host_text(in_a_kernel) == host_side(source));
}

TEST_CASE("a line of the host is found again where kernels and comments have moved it") {
    const auto line_of = [](const std::string& text, std::string_view part) {
        const size_t at = text.find(part);
        REQUIRE(at != std::string::npos);
        return static_cast<uint32_t>(1 +
                                     std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    };
    const std::string longer = with("    if (threadIdx.x < n) {", "\n    // one\n    /* two\n three */\n    {"),
                      shorter = with("    __shared__ float shared[TILE];\n", "");
    for (const char* part : {"#include", "constexpr int", "scale<<<", "return cuda", "LAB_ENTRY"})
        for (const auto& one : {source, longer, shorter})
            for (const auto& other : {source, longer, shorter})
                CHECK(line_in(one, other, line_of(other, part)) == line_of(one, part));
    CHECK(line_in(source, longer, line_of(longer, "// one")) == 0);
    CHECK(line_in(source, with("TILE = 256", "TILE = 512"), 2) == 0);
}

TEST_CASE("bodies of kernels and device functions are no part of the host side") {
    CHECK_FALSE(changes("out[threadIdx.x] = ", "out[threadIdx.x] = 2 * "));
    CHECK_FALSE(changes("if (threadIdx.x < n) {", "for (int i = threadIdx.x; i < n; ++i) {"));
    CHECK_FALSE(changes("return x + x;", "T y = x; return y * 2;"));
    CHECK_FALSE(changes("return tile[0];", "return tile[1];"));
    CHECK_FALSE(changes("__shared__ float shared[TILE];", ""));
    CHECK_FALSE(changes("if (threadIdx.x < n) {", "asm volatile(\"{ .reg .b32 x; }\"); {"));
}

TEST_CASE("comments and blanks belong to neither side") {
    CHECK_FALSE(changes(" // elements", ""));
    CHECK_FALSE(changes("// elements", "// in bytes: \" { ' }"));
    CHECK_FALSE(changes("constexpr int TILE", "/* a } in a comment */ constexpr int TILE"));
    CHECK_FALSE(changes("    return cudaGetLastError", "        return cudaGetLastError"));
}

TEST_CASE("what the host compiles is") {
    CHECK(changes("TILE = 256", "TILE = 512"));
    CHECK(changes("(n + TILE - 1) / TILE", "n / TILE + 1"));
    CHECK(changes("LAB_ENTRY(launch)", "LAB_ENTRY(other)"));
    CHECK(changes("#include \"lab.h\"", "#include \"lab.h\"\n#include <cstdio>"));
    CHECK(changes("float tile[TILE];", "float tile[TILE]; int count;"));
    CHECK(changes("return cudaGetLastError();", "return cudaSuccess; // }"));
}

TEST_CASE("so are the heads of kernels") {
    CHECK(changes("void __launch_bounds__(TILE) scale", "void scale"));
    CHECK(changes("(const float* in, float* out, int n) {", "(const float* in, float* out, unsigned n) {"));
    CHECK(changes("template <class T>", "template <class T, int N = 1>"));
    CHECK(changes("__device__ T twice", "__host__ __device__ T twice"));
}

TEST_CASE("bodies that matter to the host stay") {
    // A function for both sides, one that the compiler evaluates, one whose type its body decides.
    for (const char* head : {"__host__ __device__ int size(int n)", "__device__ constexpr int size(int n)",
                             "__device__ auto size(int n)"}) {
        const std::string text = std::string(head) + " { return n; }\n";
        CHECK(host_side(text + source) != host_side(std::string(head) + " { return n + 1; }\n" + source));
    }
    // The preprocessor's lines, and variables of the device.
    CHECK(changes("__shared__ float shared[TILE];", "\n#define MORE 1\n"));
    CHECK_FALSE(changes("__shared__ float shared[TILE];", "\n#pragma unroll\n"));
    CHECK(changes("__shared__ float shared[TILE];", "static __device__ int counter;"));
    CHECK(changes("__shared__ float shared[TILE];", "__constant__ int counter = 1;"));
}

TEST_CASE("brackets in strings and characters do not count") {
    CHECK_FALSE(changes("out[threadIdx.x] = ", "printf(\"}}}\"); out[threadIdx.x] = "));
    CHECK_FALSE(changes("out[threadIdx.x] = ", "char c = '}'; out[threadIdx.x] = "));
    CHECK_FALSE(changes("threadIdx.x < n", "threadIdx.x < 1'000"));
    CHECK(changes("return cudaGetLastError();", "puts(\"// no comment\"); return cudaGetLastError();"));
}

TEST_CASE("what the scanner does not understand is all host side") {
    const std::string raw = "const char* text = R\"(}{)\";\n";
    CHECK(host_side(raw + source) == raw + source);
    // A bracket that is never closed: nothing behind it is left out.
    const std::string open = "__global__ void broken() { if (";
    CHECK(host_side(source + open) != host_side(source + open + "1"));
}

TEST_CASE("a module's interface: entries with their parameters, and variables; no code, no strings") {
    const std::string ptx = R"(.version 8.6
.target sm_90
.global .align 4 .u32 counter = 3;
.visible .global .align 8 .b8 table[16];
.const .align 4 .f32 weight;
.global .align 1 .b8 $str[4] = {97, 98, 99, 0};
.func helper(.param .b32 a)
{
    ret;
}
.visible .entry scale(
    .param .u64 scale_param_0,
    .param .u32 scale_param_1
)
{
    .reg .b32 %r<4>;
    ret;
}
)";
    const std::string interface = ptx_interface(ptx);
    for (const char* part : {"counter", "table[16]", "weight", ".entry scale", "scale_param_1"})
        CHECK(interface.find(part) != std::string::npos);
    for (const char* part : {"$str", "helper", "%r", "= 3"})
        CHECK(interface.find(part) == std::string::npos);
    const auto with = [&](std::string_view from, std::string_view to) {
        std::string text = ptx;
        return ptx_interface(text.replace(text.find(from), from.size(), to));
    };
    CHECK(with("%r<4>", "%r<9>") == interface);
    CHECK(with("= 3", "= 4") == interface);
    CHECK(with(".u32 scale_param_1", ".u64 scale_param_1") != interface);
    CHECK(with("table[16]", "table[32]") != interface);
    CHECK(with(".entry scale(", ".entry scaled(") != interface);
}

TEST_CASE("a text of a mebibyte takes no longer than others of that size") {
    const size_t many = 1 << 20;
    const std::string head = "__device__ void f() ";
    for (const std::string& text : {std::string(many, '{'), head + std::string(many, '{'), std::string(many, '('),
                                    head + std::string(many, '"')}) {
        CHECK_FALSE(host_side(text).empty());
        CHECK_FALSE(host_text(text).empty());
    }
    std::string heads, templates;
    while (heads.size() < many)
        heads += head + "{";
    while (templates.size() < many)
        templates += "template <class T> ";
    CHECK_FALSE(host_side(heads).empty());
    CHECK_FALSE(host_side(templates + head + "{ }").empty());
}

TEST_CASE("a body that is not closed stays, and so does what follows") {
    const std::string text = "__device__ void f() { g(1); __device__ void h() { i(2); }\n";
    CHECK(host_side(text).find("g(1)") != std::string::npos);
    CHECK(host_side(text).find("i(2)") == std::string::npos);
}
