#include "sim/instructions/memory_operands.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/async/engine.h"

namespace sim::instructions {
namespace {

template <class Each>
DataOperand parts(Decoder& d, size_t i, uint32_t each, Each reference) {
    const ptx::Operand& operand = d.operand(i);
    const bool vector = operand.kind == ptx::Operand::Kind::vector;
    DataOperand data;
    data.count = vector ? uint32_t(operand.elements.size()) : 1;
    if (data.count > data.part.size() || (data.count & (data.count - 1)))
        d.fail(fmt::format("{}: a vector of {} elements", d.source.opcode, data.count));
    if (each * data.count > most_vector_bytes)
        d.fail(fmt::format("{}: a vector of {} bytes; {} are the most", d.source.opcode, each * data.count,
                           most_vector_bytes));
    if (!d.has(".num")) // ldmatrix and stmatrix count in another way
        check_count(d, data);
    const auto element = [&](uint32_t n) -> const ptx::Operand& { return vector ? operand.elements[n] : operand; };
    for (uint32_t n = 0; n < data.count; ++n) {
        const ptx::Operand& one = element(n);
        if (one.kind != ptx::Operand::Kind::reg)
            continue;
        const uint32_t bytes = d.register_bytes(one, 0);
        if (bytes < each || (data.register_bytes && bytes != data.register_bytes))
            d.fail(fmt::format("{}: registers of {} bits do not fit", d.source.opcode, 8 * bytes));
        data.register_bytes = bytes;
    }
    data.register_bytes = std::max({data.register_bytes, each, 2u});
    for (uint32_t n = 0; n < data.count; ++n)
        if (element(n).kind != ptx::Operand::Kind::sink)
            data.part[n] = reference(element(n), data.register_bytes);
    return data;
}

/// Cycles that the banks of shared memory need, and how few could do. Returns the most different words of one bank.
uint32_t most_words_in_a_bank(Exec& x, const Resolved& r, uint32_t bytes) {
    Statistics& statistics = x.grid.statistics;
    // 8-byte accesses go by half warps, 16-byte ones by quarters.
    const uint32_t words = std::max(bytes / 4, 1u), lanes = 32 / words;
    if (r.shared == all_lanes) { // the common cases: one word after the other, one word for all
        uint64_t other = 0;
        for (uint32_t lane = 0; lane < 32 && !r.in_order; ++lane)
            other |= r.address[lane] ^ r.address[0];
        if (r.in_order || (!other && bytes <= 4)) {
            statistics.shared_accesses += words;
            statistics.shared_bank_cycles += words;
            return 1;
        }
    }
    if (words == 1) { // no bank has two words
        uint64_t held[32];
        uint32_t used = 0;
        bool free = true;
        for_lanes(r.shared, [&](int lane) {
            const uint64_t word = r.address[lane] / 4;
            const uint32_t bank = word % 32;
            if (used >> bank & 1)
                free &= held[bank] == word;
            else
                held[bank] = word;
            used |= 1u << bank;
        });
        if (free && used) {
            ++statistics.shared_accesses;
            ++statistics.shared_bank_cycles;
            return 1;
        }
    }
    uint32_t worst = 0;
    for (uint32_t first = 0; first < 32; first += lanes) {
        uint64_t seen[32][8];
        uint32_t used[32] = {}, most = 0;
        for (uint32_t lane = first; lane < first + lanes; ++lane) {
            if (!(r.shared >> lane & 1))
                continue;
            for (uint32_t w = 0; w < words; ++w) {
                const uint64_t word = r.address[lane] / 4 + w;
                const auto bank = uint32_t(word % 32);
                const uint32_t known = std::min(used[bank], 8u);
                if (std::find(seen[bank], seen[bank] + known, word) != seen[bank] + known)
                    continue;
                if (used[bank] < 8)
                    seen[bank][used[bank]] = word;
                most = std::max(most, ++used[bank]);
            }
        }
        statistics.shared_accesses += most != 0;
        statistics.shared_bank_cycles += most;
        worst = std::max(worst, most);
    }
    return worst;
}

void note_conflict(Exec& x, const Op& op, const Resolved& r, uint32_t bytes, uint32_t words) {
    if (x.listener)
        x.listener->misuse(&x.warp, r.shared, &op, events::BankConflict{bytes, words});
}

} // namespace

DataOperand loaded(Decoder& d, size_t i, uint32_t each) {
    return parts(d, i, each, [&](const ptx::Operand& o, uint32_t bytes) { return destination(d, o, bytes); });
}

DataOperand stored(Decoder& d, size_t i, uint32_t each) {
    const DataOperand data = parts(d, i, each, [&](const ptx::Operand& o, uint32_t bytes) { return d.read(o, bytes); });
    for (uint32_t n = 0; n < data.count; ++n)
        if (!data.part[n].exists())
            d.fail(fmt::format("{}: '_' has no value", d.source.opcode));
    return data;
}

void check_count(const Decoder& d, const DataOperand& data) {
    const auto vector = d.value(".vec");
    const uint32_t named = vector.empty() ? 1 : uint32_t(vector.back() - '0');
    if (named != data.count)
        d.fail(fmt::format("{}: the data operand has {} elements", d.source.opcode, data.count));
}

Semantics semantics(const Decoder& d, Semantics otherwise) {
    const auto name = d.value(".sem");
    return name == ".acquire"                          ? Semantics::acquire
           : name == ".release"                        ? Semantics::release
           : name == ".acq_rel" || name == ".sc"       ? Semantics::acq_rel
           : name == ".relaxed" || name == ".volatile" ? Semantics::relaxed
           : name == ".weak"                           ? Semantics::weak
                                                       : otherwise;
}

Scope scope(const Decoder& d, Scope otherwise) {
    const auto name = d.value(".scope");
    return name == ".cta"       ? Scope::cta
           : name == ".cluster" ? Scope::cluster
           : name == ".gpu"     ? Scope::gpu
           : name == ".sys"     ? Scope::sys
                                : otherwise;
}

void count_banks(Exec& x, const Op& op, const DataOperand& data, const Resolved& r, uint32_t bytes) {
    if (!r.shared)
        return;
    const uint32_t words = most_words_in_a_bank(x, r, bytes);
    if (words > 1 && x.listener && data.conflict_noted != x.grid.id) {
        data.conflict_noted = x.grid.id;
        note_conflict(x, op, r, bytes, words);
    }
}

bool names_parameter(const Decoder& d, size_t i) {
    const ptx::Operand& operand = d.operand(i);
    return operand.kind == ptx::Operand::Kind::address && !operand.elements.empty() &&
           operand.elements[0].kind == ptx::Operand::Kind::param;
}

ParameterPlace parameter_place(Decoder& d, const ptx::Operand& address, uint32_t bytes) {
    const ptx::Operand& base = address.elements.at(0);
    const DecodedFunction& function = d.function();
    const auto& list = base.is_call_param ? function.function->code().call_params
                       : base.is_return   ? function.function->returns
                                          : function.function->params;
    const ptx::Parameter& parameter = list.at(base.index);
    const int64_t offset = address.offset + base.offset;
    if (offset < 0 || uint64_t(offset) + bytes > parameter.bytes)
        d.fail(fmt::format("'{}' is outside parameter {}, which has {} bytes", d.source.opcode, parameter.name,
                           parameter.bytes));
    ParameterPlace place;
    place.offset = uint32_t(parameter.offset + uint64_t(offset));
    if (base.is_call_param) {
        place.area = function.call_offset;
        place.stride = function.call_bytes;
    } else if (base.is_return) {
        place.area = function.returns_offset;
        place.stride = function.returns_bytes;
    } else if (function.function->is_entry) {
        place.kernel = true;
    } else {
        place.area = function.params_offset;
        place.stride = function.params_bytes;
    }
    return place;
}

} // namespace sim::instructions
