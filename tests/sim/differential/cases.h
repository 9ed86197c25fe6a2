// The tensor copies that are compared: drawn from a fixed seed, so that every machine draws the same ones.
#pragma once

#include "harness.h"

namespace differential {

constexpr int buffer_bytes = 256 << 10, guard = 32 << 10; ///< global memory; the tensor begins at `guard`
constexpr int most_tile_bytes = 40 << 10;

enum class Kind : int { load, store, reduce, im2col_load, im2col_store };
constexpr const char* kind_names[] = {"load", "store", "reduce", "im2col", "im2col-store"};
constexpr const char* reductions[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};

/// Which fields of the map tensormap.replace sets, one bit each.
enum Field : uint32_t {
    address = 1,
    rank = 2,
    box = 4,          // << dimension
    dim = 4 << 5,     // << dimension
    stride = 4 << 10, // << dimension - 1
    step = 4 << 14,   // << dimension
    type = 4 << 19,
    interleave = 4 << 20,
    swizzle = 4 << 21,
    fill = 4 << 22,
    all = (8 << 22) - 1
};

/// Any bits, small numbers of the type, or what lies at the edges of a floating-point type.
enum Data { wild, tame, edges };

struct Case {
    Kind kind = Kind::load;
    int reduction = 0, type = 0, rank = 1, interleave = 0, swizzle = 0, fill = 0;
    uint64_t offset = 0; ///< of the tensor in the buffer
    cuuint64_t dim[5] = {1, 1, 1, 1, 1}, stride[5] = {16, 16, 16, 16, 16};
    cuuint32_t box[5] = {1, 1, 1, 1, 1}, step[5] = {1, 1, 1, 1, 1};
    int at[5] = {};
    int lower[3] = {}, upper[3] = {};
    uint32_t channels = 1, pixels = 1;
    uint16_t shift[3] = {};                     ///< im2col offsets
    int base = 0;                               ///< of the tile in shared memory
    int data = 0;                               ///< Data
    uint32_t replaced = 0;                      ///< Field
    bool from_zeros = false, in_global = false; ///< what tensormap.replace starts from, and where it works

    __host__ __device__ bool im2col() const { return kind == Kind::im2col_load || kind == Kind::im2col_store; }
    __host__ __device__ bool loads() const { return kind == Kind::load || kind == Kind::im2col_load; }
    __host__ __device__ int unit() const {
        return interleave == 0 ? type_bytes(type) : 16 * interleave;
    } ///< bytes of an inner element
    __host__ __device__ uint32_t extent(int d) const {
        if (interleave && d == rank - 2) // the slice of channels
            return 1;
        const uint32_t each = d || interleave ? step[d] : 1;
        return (box[d] + each - 1) / each;
    }
    /// Of a row of the box, or of an im2col pixel.
    __host__ __device__ uint64_t row_bytes() const {
        return im2col() ? interleave ? unit() : uint64_t{channels} * unit() : uint64_t{extent(0)} * unit();
    }
    __host__ __device__ uint64_t rows() const {
        if (im2col())
            return pixels;
        uint64_t rows = 1;
        for (int d = 1; d < rank; ++d)
            rows *= extent(d);
        return rows;
    }
    __host__ __device__ uint64_t tile_bytes() const { return rows() * row_bytes(); }
    /// In shared memory, where each row takes a whole span if it is swizzled.
    __host__ __device__ uint64_t room() const {
        return swizzle && !interleave ? rows() * (16 << swizzle) : tile_bytes();
    }
    /// Shared memory that is looked at: the tile and a kilobyte on each side.
    __host__ __device__ uint32_t region() const { return uint32_t(1024 + base + room() + 1024 + 1023) / 1024 * 1024; }
};

inline int swizzle_for(Random& r, uint64_t inner_bytes) {
    int swizzle = int(r.in(0, 3));
    while (swizzle && inner_bytes > 16u << swizzle)
        swizzle = r.percent(50) ? 0 : 3;
    return inner_bytes > 128 ? 0 : swizzle;
}

/// Strides that keep the tensor within `room` bytes; shrinks dimensions until it is.
inline void lay_out(Random& r, Case& c, uint64_t inner_bytes, uint64_t room) {
    const int by = c.interleave == 2 ? 32 : 16;
    for (;;) {
        uint64_t bytes = (inner_bytes + by - 1) / by * by;
        for (int d = 1; d < c.rank; ++d) {
            bytes += uint64_t(by) * (r.percent(40) ? r.in(1, 3) : 0);
            c.stride[d - 1] = bytes;
            bytes *= c.dim[d];
        }
        if (bytes <= room)
            return;
        for (int d = 1; d < c.rank; ++d)
            c.dim[d] = (c.dim[d] + 1) / 2;
    }
}

inline int coordinate(Random& r, int64_t box, int64_t dim, bool loads) {
    if (loads && r.percent(4)) // far outside
        return int(r.percent(50) ? INT32_MIN + r.in(0, 3) : INT32_MAX - r.in(0, 3));
    if (!loads && r.percent(3))
        return int(r.percent(30) ? INT32_MAX - r.in(0, 300) : dim + r.in(0, 9));
    if (loads)
        return int(r.percent(50) ? r.in(-box, dim) : r.in(0, dim - 1));
    return int(r.in(0, dim > 2 * box ? dim - box / 2 : dim - 1));
}

inline Case tile_case(Random& r, Kind kind, int type, int interleave = 0) {
    Case c;
    c.kind = kind;
    c.type = type;
    c.interleave = interleave;
    const int size = type_bytes(type);
    c.rank = int(r.in(interleave ? 3 : 1, 5));
    c.fill = floating(type) && r.percent(50);
    c.offset = 32 * uint64_t(r.in(0, 4));
    c.base = int(128 * (r.percent(50) ? 0 : r.in(0, 7)));
    if (interleave) {
        const int fits = 16 / size; // else the encoder refuses
        c.box[0] = cuuint32_t(fits * r.in(1, fits > 4 ? 2 : 5));
        c.dim[0] = cuuint64_t(r.in(1, 2 * c.box[0]));
        c.swizzle = r.percent(50) ? 0 : interleave == 2 ? 1 : int(r.in(1, 3));
    } else {
        const int most = 256 * size / 16; // pieces of 16 bytes
        c.box[0] = cuuint32_t(r.in(1, r.percent(70) ? (most < 8 ? most : 8) : (most < 20 ? most : 20)) * 16 / size);
        c.swizzle = swizzle_for(r, uint64_t{c.box[0]} * size);
        c.dim[0] = cuuint64_t(r.in(1, 3 * c.box[0]));
    }
    const int wide[] = {0, 1, 40, 9, 5, 4};
    for (int d = 1; d < c.rank; ++d) {
        c.box[d] = cuuint32_t(r.in(1, wide[c.rank]));
        c.dim[d] = cuuint64_t(r.in(1, 2 * c.box[d] + 3));
    }
    for (int d = 0; d < c.rank; ++d)
        if (r.percent(20))
            c.step[d] = cuuint32_t(r.in(1, 8));
    while (c.room() > most_tile_bytes)
        for (int d = 1; d < c.rank; ++d)
            c.box[d] = (c.box[d] + 1) / 2;
    lay_out(r, c, c.dim[0] * uint64_t(c.unit()), 150 << 10);
    if (kind == Kind::load && c.rank > 1 && r.percent(10)) // rows that overlap, and a very long dimension
        c.stride[c.rank - 2] = 0, c.dim[c.rank - 1] = r.percent(50) ? 1000 : cuuint64_t{1} << r.in(20, 30);
    else if (c.rank > 1 && r.percent(3)) // longer than coordinates reach
        c.dim[c.rank - 1] = (cuuint64_t{1} << 31) + cuuint64_t(r.in(-1, 1)) * (r.percent(50) ? 1 : (1u << 31) - 1);
    for (int d = 0; d < c.rank; ++d)
        c.at[d] = coordinate(r, c.box[d], c.dim[d] > 1000 ? 1000 : int64_t(c.dim[d]), kind == Kind::load);
    const int by = interleave ? 1 : 16 / size;
    if (by > 1 && !r.percent(2)) // else most likely misaligned
        c.at[0] = c.at[0] / by * by;
    if (kind != Kind::load && r.percent(2))
        c.at[r.in(0, c.rank - 1)] = -by;
    if (r.percent(1))
        c.base += int(r.percent(50) ? 16 : 64);
    return c;
}

inline Case im2col_case(Random& r, Kind kind, int type, int interleave = 0) {
    Case c;
    c.kind = kind;
    c.type = type;
    c.interleave = interleave;
    c.rank = int(r.in(3, 5));
    const int size = type_bytes(type), spatial = c.rank - 2;
    const int first = interleave ? 0 : 1, channel = interleave ? c.rank - 2 : 0; // dimensions: w …, and the channels'
    const bool stores = kind == Kind::im2col_store;
    c.fill = floating(type) && r.percent(50);
    c.offset = 32 * uint64_t(r.in(0, 4));
    c.base = int(128 * (r.percent(50) ? 0 : r.in(0, 7)));
    c.channels = uint32_t((interleave ? 16 * interleave : 16) / size * r.in(1, 4));
    c.swizzle = interleave ? (r.percent(50)     ? 0
                              : interleave == 2 ? 1
                                                : int(r.in(1, 3)))
                           : swizzle_for(r, uint64_t{c.channels} * size);
    c.pixels = uint32_t(r.in(1, r.percent(70) ? 40 : 100));
    c.dim[channel] = cuuint64_t(interleave ? r.in(1, 5) : r.in(1, 2 * c.channels));
    c.dim[c.rank - 1] = cuuint64_t(r.in(1, 3));
    for (int d = 0; d < spatial; ++d) {
        const int at = first + d;
        c.dim[at] = cuuint64_t(r.in(3, 12));
        c.lower[d] = int(r.in(stores ? 0 : -3, 2));
        c.upper[d] = int(r.in(-3, stores ? 0 : 1));
        while (int(c.dim[at]) - 1 + c.upper[d] < c.lower[d])
            ++c.upper[d];
        c.shift[d] = uint16_t(stores ? 0 : r.in(0, r.percent(90) ? 4 : 31));
        if (r.percent(25))
            c.step[at] = cuuint32_t(r.in(1, 3));
        const int last = int(c.dim[at]) - 1 + c.upper[d];
        c.at[at] = int(r.percent(97) ? r.in(c.lower[d], last) : r.percent(50) ? last + 1 : c.lower[d] - 1);
    }
    lay_out(r, c, c.dim[0] * uint64_t(c.unit()), 150 << 10);
    const int by = 16 / size, most = int(c.dim[channel]) - 1;
    c.at[channel] =
        interleave ? int(r.in(stores ? 0 : -1, most)) : int(r.in(stores ? 0 : -int(c.channels), most)) / by * by;
    c.at[c.rank - 1] = int(r.in(stores || r.percent(80) ? 0 : -1, int(c.dim[c.rank - 1])));
    return c;
}

/// A map that cuTensorMapEncodeTiled accepts and that differs from `c` in the fields that will be replaced.
inline Case template_of(const Case& c) {
    Case t = c;
    const uint32_t fields = c.replaced;
    if (fields & Field::address)
        t.offset = 64;
    if (fields & Field::rank)
        t.rank = c.rank == 5 ? 4 : c.rank + 1;
    if (fields & Field::type)
        while (type_bytes(t.type = (t.type + 5) % types) != type_bytes(c.type) || t.type == c.type) {
            if (type_bytes(c.type) == 1)
                break;
        }
    if (fields & Field::interleave)
        t.interleave = c.interleave ? 0 : 1;
    if (fields & Field::swizzle)
        t.swizzle = 0;
    if (fields & Field::fill)
        t.fill = floating(t.type) ? !c.fill : 0;
    if (t.type == 0 && t.fill)
        t.fill = 0;
    for (int d = 0; d < 5; ++d) {
        if (fields & Field::box << d)
            t.box[d] = d ? c.box[d] % 256 + 1 : c.box[0] == 16 ? 32 : 16;
        if (fields & Field::dim << d)
            t.dim[d] = c.dim[d] / 2 + 1;
        if (d < 4 && fields & Field::stride << d)
            t.stride[d] = c.stride[d] + 64;
        if (fields & Field::step << d)
            t.step[d] = c.step[d] % 8 + 1;
    }
    return t;
}

inline Case replace_case(Random& r, int number) {
    Case c = tile_case(r, number % 4 ? Kind::load : Kind::store, int(r.in(0, types - 1)),
                       number % 6 == 5 ? 1 + number % 2 : 0);
    c.in_global = r.percent(40);
    if (number % 3 == 0) {
        c.replaced = Field::all;
        c.from_zeros = r.percent(50);
        return c;
    }
    if (number % 3 == 1) { // one of the single fields
        const Field one[] = {Field::address, Field::rank, Field::type, Field::swizzle, Field::fill, Field::interleave};
        c.replaced = one[number / 3 % 6];
        if (c.replaced == Field::rank && c.rank == 5) // the template's has no fifth dimension
            c.replaced |= Field::box << 4 | Field::dim << 4 | Field::stride << 3 | Field::step << 4;
    }
    for (int n = 0; n < (number % 3 == 1 ? 1 : 4); ++n) { // fields of a dimension
        const int d = int(r.in(0, c.rank - 1));
        const int which = int(r.in(0, 3));
        c.replaced |= which == 0   ? Field::box << d
                      : which == 1 ? Field::dim << d
                      : which == 2 ? Field::step << d
                      : d          ? Field::stride << (d - 1)
                                   : Field::dim;
    }
    return c;
}

constexpr int tile_loads = 160, stores = 80, sums = types * 8, more_reductions = 40, interleaved = 80,
              im2col_loads = 70, im2col_stores = 20, replaces = 72;
constexpr int cases =
    tile_loads + stores + sums + more_reductions + interleaved + im2col_loads + im2col_stores + replaces;

inline Case make_case(int number) {
    Random r(uint64_t(number) * 7919 + 20261121);
    int n = number;
    if (n < tile_loads) {
        Case c = tile_case(r, Kind::load, n % types);
        c.data = n % types >= 10 ? edges : wild; // f32.ftz, tf32
        return c;
    }
    if ((n -= tile_loads) < stores)
        return tile_case(r, Kind::store, n % types);
    if ((n -= stores) < sums + more_reductions) {
        // Each operation with each type once, in one dimension; then those that exist, in all shapes.
        const int legal[][2] = {{0, 2}, {0, 3}, {0, 4}, {0, 6}, {0, 7}, {0, 8}, {0, 9}, {1, 3}, {2, 5},
                                {1, 6}, {2, 9}, {3, 2}, {4, 2}, {5, 2}, {6, 4}, {7, 5}, {0, 10}};
        const auto& [operation, type] = legal[n % 17];
        Case c = tile_case(r, Kind::reduce, n < sums ? n % types : type);
        c.reduction = n < sums ? n / types : operation;
        if (n < sums) {
            c.rank = 1, c.base = 0, c.at[0] = 0, c.swizzle = 0;
            c.box[0] = 256, c.dim[0] = 256;
        }
        c.data = floating(c.type) && n % 2 ? edges : n % 3 == 2 ? tame : wild;
        if (n < sums && floating(c.type))
            c.data = edges;
        return c;
    }
    if ((n -= sums + more_reductions) < interleaved) {
        const int form = n % 8;
        if (form < 6)
            return tile_case(r,
                             form < 4    ? Kind::load
                             : form == 4 ? Kind::store
                                         : Kind::reduce,
                             form == 5 ? 2 : n / 8 % types, 1 + n % 2);
        return im2col_case(r, Kind::im2col_load, n % types, 1 + n % 2);
    }
    if ((n -= interleaved) < im2col_loads)
        return im2col_case(r, Kind::im2col_load, n % types);
    if ((n -= im2col_loads) < im2col_stores)
        return im2col_case(r, Kind::im2col_store, n % types);
    return replace_case(r, n - im2col_stores);
}

inline std::string describe(const Case& c) {
    char text[512];
    auto list = [&](const auto* values, int count) {
        std::string all;
        for (int i = 0; i < count; ++i)
            all += (i ? "," : "") + std::to_string(values[i]);
        return all;
    };
    std::snprintf(text, sizeof text, "%s%s%s %s dim %s stride %s ", kind_names[int(c.kind)],
                  c.kind == Kind::reduce ? "." : "", c.kind == Kind::reduce ? reductions[c.reduction] : "",
                  type_names[c.type], list(c.dim, c.rank).c_str(),
                  c.rank > 1 ? list(c.stride, c.rank - 1).c_str() : "-");
    std::string line = text;
    if (c.im2col())
        line += "corners " + list(c.lower, c.rank - 2) + ":" + list(c.upper, c.rank - 2) + " channels " +
                std::to_string(c.channels) + " pixels " + std::to_string(c.pixels) + " shift " +
                list(c.shift, c.rank - 2);
    else
        line += "box " + list(c.box, c.rank);
    line += " step " + list(c.step, c.rank) + " at " + list(c.at, c.rank);
    std::snprintf(text, sizeof text, " il %d sw %d fill %d +%d @%d%s", c.interleave ? 16 * c.interleave : 0,
                  c.swizzle ? 16 << c.swizzle : 0, c.fill, int(c.offset), c.base,
                  c.data == tame    ? " tame"
                  : c.data == edges ? " edges"
                                    : "");
    line += text;
    if (c.replaced) {
        std::snprintf(text, sizeof text, " replaced %x%s%s", c.replaced, c.from_zeros ? " of-zeros" : "",
                      c.in_global ? " in-global" : "");
        line += text;
    }
    return line;
}

} // namespace differential
