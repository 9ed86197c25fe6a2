#include "sim/instructions/tcgen05_descriptor.h"

#include <string_view>

#include <fmt/format.h>

namespace sim::instructions::tcgen05 {
namespace {

constexpr std::string_view kinds[] = {"f16", "tf32", "f8f6f4", "i8", "mxf8f6f4", "mxf4", "mxf4nvf4"};

/// Bits first … last.
struct Bits {
    uint32_t word;
    uint32_t operator()(uint32_t first, uint32_t last) const {
        return word >> first & uint32_t((uint64_t{1} << (last - first + 1)) - 1);
    }
    uint32_t operator()(uint32_t at) const { return word >> at & 1; }
};

bool scaled(Kind kind) {
    return kind >= Kind::mxf8f6f4;
}
bool four_bits(Kind kind) {
    return kind == Kind::mxf4 || kind == Kind::mxf4nvf4;
}

bool format_of(uint32_t code, Kind kind, Format& format) {
    switch (kind) {
    case Kind::f16:
        format = code ? Format::bf16 : Format::f16;
        return code <= 1;
    case Kind::tf32:
        format = Format::tf32;
        return code == 2;
    case Kind::i8:
        format = code ? Format::s8 : Format::u8;
        return code <= 1;
    case Kind::mxf4:
    case Kind::mxf4nvf4:
        format = Format::e2m1;
        return code == 1;
    default:
        constexpr Format formats[] = {Format::e4m3, Format::e5m2, Format::e2m3, Format::e2m3,
                                      Format::e3m2, Format::e2m1, Format::e2m1, Format::e2m1};
        format = formats[code];
        return code != 2 && code < 6;
    }
}

/// The type of D: bits 5-4.
bool sum_of(uint32_t code, Kind kind, Sum& sum) {
    sum = code == 0 ? Sum::f16 : code == 1 ? Sum::f32 : Sum::s32;
    return kind == Kind::i8 ? code == 2 : kind == Kind::tf32 ? code == 1 : code <= 1;
}

std::string wrong_types(Bits bits, const Variant& form, Product& p) {
    const std::string_view kind = kinds[size_t(form.kind)];
    const uint32_t a = bits(7, 9), b = four_bits(form.kind) ? bits(10, 11) : bits(10, 12);
    if (!format_of(a, form.kind, p.a))
        return fmt::format("bits 9-7 name type {} of A, which .kind::{} does not have", a, kind);
    if (!format_of(b, form.kind, p.b))
        return fmt::format("bits {}-10 name type {} of B, which .kind::{} does not have",
                           four_bits(form.kind) ? 11 : 12, b, kind);
    p.d = Sum::f32;
    if (!scaled(form.kind) && !sum_of(bits(4, 5), form.kind, p.d))
        return fmt::format("bits 5-4 name type {} of D, which .kind::{} does not have", bits(4, 5), kind);
    if (form.kind == Kind::f16 && p.d == Sum::f16 && (p.a != Format::f16 || p.b != Format::f16))
        return "a D of f16 needs an A and a B of f16, but bits 12-7 name bf16";
    return {};
}

std::string wrong_options(Bits bits, const Variant& form, Product& p) {
    const std::string_view kind = kinds[size_t(form.kind)];
    if (bits(2))
        return "bit 2 says that A is sparse, but tcgen05.mma multiplies a dense A (tcgen05.mma.sp a sparse one)";
    p.saturate = !scaled(form.kind) && bits(3);
    if (p.saturate && form.kind != Kind::i8)
        return fmt::format("bit 3 asks for saturation, which only .kind::i8 has, not .kind::{}", kind);
    p.negate_a = bits(13);
    p.negate_b = bits(14);
    if ((p.negate_a || p.negate_b) && form.kind == Kind::i8)
        return "bits 14-13 negate a matrix, which .kind::i8 cannot";
    p.transpose_a = bits(15);
    p.transpose_b = bits(16);
    const auto narrow = [](Format f) { return f == Format::e2m3 || f == Format::e3m2 || f == Format::e2m1; };
    if ((p.transpose_a && narrow(p.a)) || (p.transpose_b && narrow(p.b)))
        return "bits 16-15 transpose a matrix of 4-bit or 6-bit elements, which must be K-major";
    constexpr uint32_t reserved = 1u << 6 | 1u << 23 | 1u << 29;
    constexpr uint32_t reserved_scaled = 3u | 1u << 3 | 1u << 6 | 7u << 24;
    const uint32_t set =
        bits.word & (scaled(form.kind) ? reserved_scaled | (four_bits(form.kind) ? 1u << 12 : 1u << 31) : reserved);
    if (set)
        return fmt::format("it sets reserved bits ({:#x}), which must be 0 for .kind::{}", set, kind);
    return {};
}

std::string wrong_scales(Bits bits, const Variant& form, Product& p) {
    p.scale_a_id = bits(29, 30);
    p.scale_b_id = bits(4, 5);
    p.ue8m0 = bits(23);
    if (four_bits(form.kind) && bits(31))
        return "bit 31 asks for K = 96, which needs sm_103a and is not part of the simulated device";
    if (!p.ue8m0 && !(form.kind == Kind::mxf4nvf4 && form.scales == 4))
        return fmt::format("bit 23 is 0: scale factors of UE4M3, which only .kind::mxf4nvf4 with .scale_vec::4X has");
    for (const uint32_t id : {p.scale_a_id, p.scale_b_id})
        if (id % form.scales || id + form.scales > 4)
            return fmt::format("a scale factor ID is {}, but with {} scale factors for each line it must be {}", id,
                               form.scales, form.scales == 4 ? "0" : "0 or 2");
    return {};
}

std::string wrong_shape(Bits bits, const Variant& form, Product& p) {
    const std::string_view kind = kinds[size_t(form.kind)];
    const bool pair = form.group == 2, ws = form.weight_stationary, integer = form.kind == Kind::i8;
    p.n = bits(17, 22) << 3;
    p.m = scaled(form.kind) ? bits(27, 28) << 7 : bits(24, 28) << 4;
    p.k = form.kind == Kind::f16 ? 16 : form.kind == Kind::tf32 ? 8 : four_bits(form.kind) ? 64 : 32;
    const bool rows = ws                  ? p.m == 32 || p.m == 64 || p.m == 128
                      : pair              ? p.m == 128 || p.m == 256
                      : scaled(form.kind) ? p.m == 128
                                          : p.m == 64 || p.m == 128;
    const std::string form_text =
        fmt::format(".kind::{} with {}.cta_group::{}", kind, ws ? ".ws and " : "", form.group);
    if (!rows)
        return fmt::format("it says M = {}, but {} has M = {} (bits {} hold M / {})", p.m, form_text,
                           ws                  ? "32, 64 or 128"
                           : pair              ? "128 or 256"
                           : scaled(form.kind) ? "128"
                                               : "64 or 128",
                           scaled(form.kind) ? "28-27" : "28-24", scaled(form.kind) ? 128 : 16);
    const bool bytes = stored_bits(p.b, form.kind) == 8;
    uint32_t step = pair ? 16 : 8;
    if ((integer && (pair || p.n > 32)) || (bytes && p.transpose_b))
        step = pair ? 32 : 16;
    const bool columns = ws ? p.n == 64 || p.n == 128 || p.n == 256 : p.n >= step && p.n <= 256 && p.n % step == 0;
    if (!columns)
        return fmt::format("it says N = {}, but {}{} has N = {} (bits 22-17 hold N / 8)", p.n, form_text,
                           bytes && p.transpose_b ? " and a transposed B of bytes" : "",
                           ws ? "64, 128 or 256" : fmt::format("{0}, {1}, … 256", step, 2 * step));
    return {};
}

} // namespace

uint32_t stored_bits(Format format, Kind kind) {
    if (four_bits(kind))
        return 4;
    return format <= Format::bf16 ? 16 : format == Format::tf32 ? 32 : 8;
}

std::string read(uint32_t word, const Variant& form, Product& p) {
    const Bits bits{word};
    std::string why = wrong_types(bits, form, p);
    if (why.empty())
        why = wrong_options(bits, form, p);
    if (why.empty() && scaled(form.kind))
        why = wrong_scales(bits, form, p);
    if (why.empty())
        why = wrong_shape(bits, form, p);
    return why.empty() ? why : fmt::format("The instruction descriptor is {:#010x}: {}.", word, why);
}

std::string wrong(uint64_t bits, uint32_t bits_of_element) {
    const auto mode = uint32_t(bits >> 61);
    if ((bits >> 46 & 7) != 1)
        return fmt::format("bits 48-46 are {}, but in a descriptor of tcgen05 they are always 1 (in one of wgmma 0)",
                           bits >> 46 & 7);
    if (bits >> 14 & 3)
        return fmt::format("bits 15-14 are not 0: the start has bits 13-0, in units of 16 bytes. {:#x} may be bytes",
                           bits & 0xffff);
    if (bits >> 53 & 0xff)
        return "bits 60-53 are not 0, as they always are";
    if (mode == 3 || mode == 5 || mode == 7)
        return fmt::format("bits 63-61 are {}; the swizzle modes are 0 (none), 1 (128 bytes in units of 32), 2 (128), "
                           "4 (64) and 6 (32)",
                           mode);
    if (bits >> 52 & 1)
        return "bit 52 makes the leading offset an absolute address, which needs K = 96 on sm_103a";
    if (bits_of_element == 32 && mode != 1)
        return "a transposed matrix of tf32 needs the swizzle mode 1 (128 bytes in units of 32)";
    if (bits_of_element && bits_of_element != 32 && mode == 1)
        return "only a transposed matrix of tf32 can have the swizzle mode 1 (128 bytes in units of 32)";
    return {};
}

} // namespace sim::instructions::tcgen05
