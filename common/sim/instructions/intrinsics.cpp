// Functions that the device provides: vprintf, __assertfail, malloc, free.
#include "sim/instructions/call.h"

#include <fmt/format.h>

namespace sim::instructions {
namespace {

constexpr size_t longest_text = 4096;

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
        const uint64_t offset = address - memory::shared_window;
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

/// printf of one lane: the arguments lie one behind the other, each aligned to its size.
std::string formatted(Exec& x, int lane, const std::string& format, uint64_t arguments) {
    std::string out;
    uint64_t at = 0;
    for (size_t i = 0; i < format.size(); ++i) {
        if (format[i] != '%') {
            out += format[i];
            continue;
        }
        std::string spec = "%";
        bool wide = false;
        size_t j = i + 1;
        for (; j < format.size() && !std::isalpha(static_cast<unsigned char>(format[j])) && format[j] != '%'; ++j)
            spec += format[j] == '*' ? ' ' : format[j];
        for (; j < format.size() && std::string_view("hlLjzt").find(format[j]) != std::string_view::npos; ++j)
            wide |= format[j] != 'h';
        if (j >= format.size())
            break;
        const char conversion = format[j];
        i = j;
        if (conversion == '%') {
            out += '%';
            continue;
        }
        const bool floating = std::string_view("eEfFgGaA").find(conversion) != std::string_view::npos;
        const bool eight = wide || floating || conversion == 's' || conversion == 'p';
        at = (at + (eight ? 7 : 3)) & ~uint64_t{eight ? 7u : 3u};
        uint64_t bits = 0;
        peek(x, lane, arguments + at, &bits, eight ? 8 : 4);
        at += eight ? 8 : 4;
        char buffer[512];
        if (floating) {
            std::snprintf(buffer, sizeof buffer, (spec + conversion).c_str(), std::bit_cast<double>(bits));
        } else if (conversion == 's') {
            const std::string text = text_at(x, lane, bits);
            std::snprintf(buffer, sizeof buffer, (spec + "s").c_str(), text.c_str());
        } else if (conversion == 'p') {
            std::snprintf(buffer, sizeof buffer, "%#llx", static_cast<unsigned long long>(bits));
        } else if (conversion == 'c') {
            std::snprintf(buffer, sizeof buffer, (spec + "c").c_str(), int(bits));
        } else if (std::string_view("diouxX").find(conversion) != std::string_view::npos) {
            const bool negative = conversion == 'd' || conversion == 'i';
            const auto value = eight      ? static_cast<long long>(bits)
                               : negative ? static_cast<long long>(int32_t(bits))
                                          : static_cast<long long>(uint32_t(bits));
            std::snprintf(buffer, sizeof buffer, (spec + "ll" + conversion).c_str(), value);
        } else {
            buffer[0] = 0;
        }
        out += buffer;
    }
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
        good = (!address || x.grid.memory.release(address)) && good;
    });
    return good ? Flow::next : x.fail(Fault::illegal_address, "free() of something that malloc() did not return");
}

} // namespace

Handler intrinsic(const std::string& name) {
    if (name == "vprintf")
        return print;
    if (name == "__assertfail")
        return assertion;
    if (name == "malloc")
        return allocate;
    if (name == "free")
        return release;
    return nullptr;
}

} // namespace sim::instructions
