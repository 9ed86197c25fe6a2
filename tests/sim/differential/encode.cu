// Parameters of tensor maps, about half of them illegal, and what the driver says to them.
#include "cases.h"

using namespace differential;

namespace {

constexpr int tiled = 300, im2col = 150;

struct Parameters {
    bool im2col = false;
    uint32_t type, rank, interleave = 0, swizzle = 0, l2 = 0, fill = 0;
    uint64_t address = 0x7000'0000'0000, map_offset = 0;
    cuuint64_t dim[6], stride[6];
    cuuint32_t box[6], step[6];
    int lower[4] = {}, upper[4] = {};
    cuuint32_t channels = 0, pixels = 0;
    int null = -1; ///< which pointer is
};

template <class T, size_t N>
T one_of(Random& r, const T (&values)[N]) {
    return values[r.in(0, N - 1)];
}

Parameters legal(Random& r, bool im2col) {
    Parameters p;
    p.im2col = im2col;
    p.type = uint32_t(r.in(0, types - 1));
    const int size = type_bytes(int(p.type));
    p.interleave = r.percent(25) ? uint32_t(r.in(1, 2)) : 0;
    p.rank = uint32_t(r.in(p.interleave || im2col ? 3 : 1, 5));
    p.address += uint64_t(32 * r.in(0, 100));
    p.l2 = uint32_t(r.in(0, 3));
    p.fill = floating(int(p.type)) && r.percent(50);
    const int by = p.interleave == 2 ? 32 : 16;
    const uint64_t inner = uint64_t(by * r.in(1, 8));
    p.swizzle = p.interleave == 2 ? uint32_t(r.in(0, 1)) : uint32_t(r.in(0, 3));
    while (!p.interleave && p.swizzle && inner > 16u << p.swizzle)
        --p.swizzle;
    if (!p.interleave && p.swizzle == 0 && inner <= 128 && r.percent(40))
        p.swizzle = 3;
    const uint64_t lengths[] = {1, 2, 7, 16, 100, 1000, 65536};
    uint64_t bytes = 16;
    for (int d = 0; d < 6; ++d) {
        p.dim[d] = one_of(r, lengths);
        p.box[d] = d ? cuuint32_t(r.in(1, 4)) : cuuint32_t(p.interleave ? r.in(1, 32) : int64_t(inner) / size);
        if (p.box[d] > 256)
            p.box[d] = 256;
        p.step[d] = r.percent(70) ? 1 : cuuint32_t(r.in(1, 8));
        bytes = d ? bytes * p.dim[d] : uint64_t(by) * (p.dim[0] * size / by + 1);
        if (bytes >= uint64_t{1} << 40)
            bytes = 4096;
        p.stride[d] = bytes;
    }
    const int most = p.rank == 3 ? 200 : p.rank == 4 ? 100 : 15;
    for (uint32_t d = 0; d < 4; ++d) {
        p.lower[d] = int(r.in(-most, 3));
        p.upper[d] = int(r.in(-1, most));
        if (p.dim[d + 1] < 5)
            p.dim[d + 1] += 5;
    }
    p.channels = cuuint32_t(inner) / size;
    p.pixels = cuuint32_t(r.in(1, 256));
    return p;
}

// One parameter at, or just beyond, a limit.
void spoil(Random& r, Parameters& p) {
    const uint64_t edge = uint64_t{1} << 32, far = uint64_t{1} << 40;
    const int d = int(r.in(0, p.rank - 1)), size = type_bytes(int(p.type));
    switch (r.in(0, p.im2col ? 19 : 16)) {
    case 0:
        p.type = one_of(r, {13u, 14u, 15u, 16u, 99u});
        break;
    case 1:
        p.rank = one_of(r, {0u, 1u, 2u, 6u});
        break;
    case 2:
        p.address += uint64_t(one_of(r, {1, 4, 8, 15, 16}));
        break;
    case 3:
        p.dim[d] = one_of(r, {uint64_t{0}, edge, edge + 1, edge - 1});
        break;
    case 4:
        p.stride[d] += uint64_t(one_of(r, {1, 4, 8, 16}));
        break;
    case 5:
        p.stride[d] = one_of(r, {far, far - 16, far - 32, far + 16, uint64_t{0}, uint64_t{16}, uint64_t{32}});
        break;
    case 6:
        p.step[d] = one_of(r, {0u, 8u, 9u, 100u});
        break;
    case 7:
        p.swizzle = one_of(r, {1u, 2u, 3u, 4u, 5u, 6u, 7u});
        break;
    case 8:
        p.interleave = one_of(r, {1u, 2u, 3u, 0u});
        break;
    case 9:
        p.l2 = one_of(r, {4u, 9u});
        break;
    case 10:
        p.fill = one_of(r, {1u, 2u});
        break;
    case 11:
        p.null = int(r.in(0, p.im2col ? 7 : 5));
        break;
    case 12:
        p.map_offset = uint64_t(one_of(r, {8, 16, 32, 64}));
        break;
    case 13:
    case 14:
        if (p.im2col)
            p.channels = one_of(r, {0u, 1u, 3u, 128u / size, 256u / size, 256u, 257u, 24u});
        else
            p.box[d] = one_of(r, {0u, 1u, 12u, 256u, 257u, 128u});
        break;
    case 15:
        for (int i = 1; i < 6; ++i)
            p.box[i] = one_of(r, {16u, 64u, 224u, 256u});
        p.pixels = one_of(r, {0u, 1u, 1024u, 1025u, 512u});
        break;
    case 16:
        p.swizzle = one_of(r, {1u, 2u, 3u}), p.interleave = one_of(r, {1u, 2u});
        break;
    case 17:
        p.lower[r.in(0, p.rank - 3)] =
            int(one_of(r, {-16, -17, 15, 16, 127, 128, -128, -129, 32767, 32768, -32768, -32769}));
        break;
    case 18:
        p.upper[r.in(0, p.rank - 3)] =
            int(one_of(r, {-16, -17, 15, 16, 127, 128, -128, -129, 32767, 32768, -32768, -32769}));
        break;
    default:
        p.upper[r.in(0, p.rank - 3)] = -int(one_of(r, {5, 6, 7, 8, 9, 10, 11}));
        break;
    }
}

Parameters make(int number) {
    Random r(uint64_t(number) * 104729 + 4);
    Parameters p = legal(r, number >= tiled);
    if (r.percent(75))
        spoil(r, p);
    if (r.percent(10))
        spoil(r, p);
    return p;
}

template <class T>
std::string list(const T* values, uint32_t count) {
    std::string all;
    for (uint32_t i = 0; i < count; ++i)
        all += (i ? "," : "") + std::to_string(values[i]);
    return all.empty() ? "-" : all;
}

template <class T>
const T* unless_null(const Parameters& p, int which, const T* pointer) {
    return p.null == which ? nullptr : pointer;
}

int ask(const Parameters& p) {
    static const auto encode_tiled = driver<EncodeTiled>("cuTensorMapEncodeTiled");
    static const auto encode_im2col = driver<EncodeIm2col>("cuTensorMapEncodeIm2col");
    alignas(64) char storage[256];
    CUtensorMap* const map = p.null == 0 ? nullptr : reinterpret_cast<CUtensorMap*>(storage + p.map_offset);
    void* const address = p.null == 5 ? nullptr : reinterpret_cast<void*>(p.address);
    const auto type = CUtensorMapDataType(p.type);
    const auto interleave = CUtensorMapInterleave(p.interleave);
    const auto swizzle = CUtensorMapSwizzle(p.swizzle);
    const auto l2 = CUtensorMapL2promotion(p.l2);
    const auto fill = CUtensorMapFloatOOBfill(p.fill);
    const cuuint64_t* dim = unless_null(p, 1, p.dim);
    const cuuint64_t* stride = unless_null(p, 2, p.stride);
    const cuuint32_t* step = unless_null(p, 4, p.step);
    if (p.im2col)
        return encode_im2col(map, type, p.rank, address, dim, stride, unless_null(p, 6, p.lower),
                             unless_null(p, 7, p.upper), p.channels, p.pixels, step, interleave, swizzle, l2, fill);
    return encode_tiled(map, type, p.rank, address, dim, stride, unless_null(p, 3, p.box), step, interleave, swizzle,
                        l2, fill);
}

} // namespace

int main(int count, char** words) {
    const Arguments a = arguments(count, words);
    MUST(cudaFree(nullptr)); // the driver wants a context
    for (int number = a.from; number < a.to && number < tiled + im2col; ++number) {
        const Parameters p = make(number);
        const uint32_t rank = p.rank;
        std::printf("%d. %s type %u rank %u dim %s stride %s ", number, p.im2col ? "im2col" : "tiled", p.type, rank,
                    list(p.dim, rank).c_str(), list(p.stride, rank ? rank - 1 : 0).c_str());
        if (p.im2col)
            std::printf("corners %s:%s channels %u pixels %u", list(p.lower, rank > 2 ? rank - 2 : 0).c_str(),
                        list(p.upper, rank > 2 ? rank - 2 : 0).c_str(), p.channels, p.pixels);
        else
            std::printf("box %s", list(p.box, rank).c_str());
        std::printf(" step %s il %u sw %u l2 %u fill %u +%d", list(p.step, rank).c_str(), p.interleave, p.swizzle, p.l2,
                    p.fill, int(p.address & 31));
        if (p.map_offset)
            std::printf(" map+%d", int(p.map_offset));
        if (p.null >= 0)
            std::printf(" null %d", p.null);
        std::printf(": ");
        std::fflush(stdout);
        std::printf("%d\n", ask(p));
    }
    std::printf("end\n");
}
