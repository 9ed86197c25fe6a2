// Functions that the device provides: vprintf, __assertfail, malloc, free.
#include "sim/instructions/call.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "sim/instructions/printf_format.h"

namespace sim::instructions {
namespace {

constexpr size_t longest_text = 4096, longest_output = 64 << 10; // of a string, of a printf

/// Copies `bytes` bytes at a generic address of `lane`; false if they are not there.
bool peek(Exec& x, int lane, uint64_t address, void* out, uint64_t bytes) {
    if (address - memory::local_window < memory::local_window_bytes) {
        const uint64_t offset = address - memory::local_window;
        if (offset + bytes > x.warp.local_stride)
            return false;
        std::memcpy(out, x.warp.local.data() + uint64_t(uint32_t(lane)) * x.warp.local_stride + offset, bytes);
        return true;
    }
    if (address - memory::shared_window < memory::shared_window_bytes) {
        const uint64_t offset =
            (address - memory::shared_window) ^ (uint64_t{x.block.own_tag} << memory::shared_rank_shift);
        if (offset + bytes > x.block.shared.size())
            return false;
        std::memcpy(out, x.block.shared.data() + offset, bytes);
        return true;
    }
    const auto* allocation = x.grid.memory.find(address);
    if (!allocation || !allocation->live || !allocation->holds(address, bytes))
        return false;
    std::memcpy(out, allocation->data + (address - allocation->address), bytes);
    return true;
}

std::string text_at(Exec& x, int lane, uint64_t address) {
    std::string text;
    char c;
    while (text.size() < longest_text && peek(x, lane, address + text.size(), &c, 1) && c)
        text += c;
    return text;
}

/// The arguments of one lane's printf: one behind the other, each aligned to its size.
class Arguments {
  public:
    Arguments(Exec& x, int lane, uint64_t address) : x_(x), lane_(lane), address_(address) {}
    uint64_t next(uint32_t bytes) {
        at_ = (at_ + bytes - 1) / bytes * bytes;
        uint64_t bits = 0;
        peek(x_, lane_, address_ + at_, &bits, bytes);
        at_ += bytes;
        return bits;
    }
    /// A width or a precision: negative ones are for the caller.
    int next_number() { return std::clamp(int(int32_t(next(4))), -PrintfConversion::widest, PrintfConversion::widest); }

  private:
    Exec& x_;
    int lane_;
    uint64_t address_, at_ = 0;
};

std::string formatted(Exec& x, int lane, const std::string& format, uint64_t address) {
    Arguments arguments(x, lane, address);
    std::string out;
    for (size_t i = 0; i < format.size() && out.size() < longest_output;) {
        auto conversion = format[i] == '%' ? conversion_at(format, i) : std::nullopt;
        if (!conversion) {
            out += format[i];
            i += format[i] == '%' && i + 1 < format.size() && format[i + 1] == '%' ? 2 : 1;
            continue;
        }
        i = conversion->end;
        if (conversion->width_is_argument && (conversion->width = arguments.next_number()) < 0) {
            conversion->flags += '-';
            conversion->width = -conversion->width;
        }
        if (conversion->precision_is_argument)
            conversion->precision = std::max(arguments.next_number(), -1);
        const uint64_t bits = arguments.next(conversion->bytes());
        out += converted(*conversion, bits, conversion->type == 's' ? text_at(x, lane, bits) : "");
    }
    out.resize(std::min(out.size(), longest_output));
    return out;
}

Flow print(Exec& x, const Op& op) {
    const auto& site = *static_cast<const CallSite*>(op.extra);
    for_lanes(x.mask, [&](int lane) {
        const std::string format = text_at(x, lane, argument<uint64_t>(x, site, 0, lane));
        const std::string text = formatted(x, lane, format, argument<uint64_t>(x, site, 1, lane));
        if (x.grid.options.output)
            x.grid.options.output(text);
        give_back(x, site, lane, int32_t(text.size()));
    });
    return Flow::next;
}

Flow assertion(Exec& x, const Op& op) {
    const auto& site = *static_cast<const CallSite*>(op.extra);
    const int lane = std::countr_zero(x.mask);
    const std::string what = text_at(x, lane, argument<uint64_t>(x, site, 0, lane));
    const std::string file = text_at(x, lane, argument<uint64_t>(x, site, 1, lane));
    const auto line = argument<uint32_t>(x, site, 2, lane);
    const std::string function = text_at(x, lane, argument<uint64_t>(x, site, 3, lane));
    const std::string message = fmt::format("{}:{}: {}: block: [{},{},{}], thread: [{},{},{}] Assertion `{}` failed.",
                                            file, line, function, x.block.index.x, x.block.index.y, x.block.index.z,
                                            x.warp.specials->narrow[size_t(Special::tid_x)][size_t(lane)],
                                            x.warp.specials->narrow[size_t(Special::tid_y)][size_t(lane)],
                                            x.warp.specials->narrow[size_t(Special::tid_z)][size_t(lane)], what);
    return x.fail(Fault::assertion, message);
}

Flow allocate(Exec& x, const Op& op) {
    const auto& site = *static_cast<const CallSite*>(op.extra);
    for_lanes(x.mask, [&](int lane) {
        const auto* allocation = x.grid.memory.allocate(argument<uint64_t>(x, site, 0, lane),
                                                        memory::AllocationKind::device, "device malloc");
        give_back(x, site, lane, allocation ? allocation->address : uint64_t{0});
    });
    return Flow::next;
}

Flow release(Exec& x, const Op& op) {
    const auto& site = *static_cast<const CallSite*>(op.extra);
    bool good = true;
    for_lanes(x.mask, [&](int lane) {
        const auto address = argument<uint64_t>(x, site, 0, lane);
        good = (!address || x.grid.memory.release(address, "free()")) && good;
    });
    return good ? Flow::next : x.fail(Fault::illegal_address, "free() of something that malloc() did not return");
}

} // namespace

const Intrinsic* intrinsic(const std::string& name) {
    static const std::map<std::string_view, Intrinsic> provided = {
        {"vprintf", {print, {8, 8}, {4}}},
        {"__assertfail", {assertion, {8, 8, 4, 8, 8}, {}}},
        {"malloc", {allocate, {8}, {8}}},
        {"free", {release, {8}, {}}},
    };
    const auto found = provided.find(name);
    return found == provided.end() ? nullptr : &found->second;
}

} // namespace sim::instructions
