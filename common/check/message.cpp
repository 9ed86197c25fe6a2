#include "check/message.h"

#include <cerrno>

#include <nlohmann/json.hpp>
#include <sys/socket.h>

#include "base/fields.h"
#include "check/packing.h"
#include "check/verdict.h"
#include "sim/cuda/wire/socket.h"
#include "sim/protocol/fields.h"
#include "sim/report/fields.h"
#include "sim/timeline/fields.h"

namespace check::message {

using nlohmann::json;

namespace {

/// What a report says. Its texts are long in no honest run.
struct Words {
    std::vector<sim::hazards::Finding> findings;
    std::vector<sim::hazards::Gap> gaps;
    sim::machine::Executed executed;
    sim::protocol::Summary protocol;
    std::optional<sim::timeline::Estimate> estimate;
};
constexpr size_t most_words = size_t{16} << 20, most_depth = 12;

} // namespace
} // namespace check::message

template <>
inline constexpr auto base::fields<check::message::Words> = std::tuple{
    Field{"findings", &check::message::Words::findings},
    Field{"gaps", &check::message::Words::gaps},
    Field{"executed", &check::message::Words::executed},
    Field{"protocol", &check::message::Words::protocol},
    Field{"deviates", Inner{&check::message::Words::protocol, &sim::protocol::Summary::deviates}},
    Field{"estimate", &check::message::Words::estimate},
};

namespace check::message {
namespace {

Writer& operator<<(Writer& to, const sim::machine::Outcome& outcome) {
    return to << outcome.fault << std::string_view(outcome.message).substr(0, most_name);
}
void read(Reader& from, sim::machine::Outcome& outcome) {
    from.read(outcome.fault, sim::machine::Fault::runaway);
    from >> outcome.message;
}

Writer& operator<<(Writer& to, const HostOperation& operation) {
    return to << operation.kind << operation.stream << operation.bytes << operation.pageable << operation.from
              << operation.beside << operation.early;
}
void read(Reader& from, HostOperation& one) {
    from.read(one.kind, HostOperation::Kind::query);
    from >> one.stream >> one.bytes >> one.pageable >> one.from >> one.beside >> one.early;
}

Writer& operator<<(Writer& to, const Launch& launch) {
    const auto& [grid, block, cluster, dynamic_shared, cooperative] = launch.config;
    return to << std::string_view(launch.kernel).substr(0, most_name) << grid << block << cluster << dynamic_shared
              << cooperative << launch.statistics << launch.parameter_bytes;
}
void read(Reader& from, Launch& launch) {
    auto& [grid, block, cluster, dynamic_shared, cooperative] = launch.config;
    from >> launch.kernel >> grid >> block >> cluster >> dynamic_shared >> cooperative >> launch.statistics >>
        launch.parameter_bytes;
}

void write(Writer& to, const sim::provenance::Ahead& ahead) {
    to << ahead.waits << ahead.in_flight << ahead.held << ahead.reads << ahead.beside << ahead.ring << ahead.alone_from
       << ahead.alone_to << ahead.alone << ahead.own_line << ahead.own_warp;
}
void read(Reader& from, sim::provenance::Ahead& ahead) {
    from >> ahead.waits >> ahead.in_flight >> ahead.held >> ahead.reads >> ahead.beside >> ahead.ring >>
        ahead.alone_from >> ahead.alone_to >> ahead.alone >> ahead.own_line >> ahead.own_warp;
}

void write(Writer& to, const sim::provenance::Flow& flow) {
    to << flow.copied << flow.used << flow.groups << flow.stages << flow.inputs << flow.results << flow.dependent
       << flow.multiplied << flow.multiplied_in_place << flow.reloaded << flow.reloaded_products;
    write(to, flow.groups_ahead);
    write(to, flow.stages_ahead);
    to << std::as_bytes(std::span(&flow.registers, 1)) << std::as_bytes(std::span(&flow.epilogue, 1))
       << std::as_bytes(std::span(&flow.turns, 1));
    for (size_t i = 0; i < sim::provenance::means_count; ++i)
        to << flow.by[i].copied << flow.by[i].used << flow.stored[i];
}
void read(Reader& from, sim::provenance::Flow& flow) {
    from >> flow.copied >> flow.used >> flow.groups >> flow.stages >> flow.inputs >> flow.results >> flow.dependent >>
        flow.multiplied >> flow.multiplied_in_place >> flow.reloaded >> flow.reloaded_products;
    read(from, flow.groups_ahead);
    read(from, flow.stages_ahead);
    from >> flow.registers >> flow.epilogue >> flow.turns;
    for (size_t i = 0; i < sim::provenance::means_count; ++i)
        from >> flow.by[i].copied >> flow.by[i].used >> flow.stored[i];
}

template <class T>
void write_all(Writer& to, const std::vector<T>& list) {
    to << list.size();
    for (const T& item : list)
        to << item;
}
template <class T>
void read_all(Reader& from, std::vector<T>& list, size_t least_bytes) {
    const size_t length = from.length(least_bytes);
    list.reserve(length);
    for (size_t i = 0; i < length; ++i)
        read(from, list.emplace_back());
}

// Of what a process says that may be a stranger's by now: no deeper than honest words are.
bool is_shallow(std::string_view text) {
    size_t depth = 0;
    bool quoted = false;
    for (size_t i = 0; i < text.size(); ++i) {
        if (quoted && text[i] == '\\')
            ++i;
        else if (text[i] == '"')
            quoted = !quoted;
        else if (!quoted && (text[i] == '[' || text[i] == '{') && ++depth > most_depth)
            return false;
        else if (!quoted && (text[i] == ']' || text[i] == '}'))
            --depth;
    }
    return true;
}

template <class Packed, class Read>
auto unpack(std::span<const std::byte> packed, Packed value, Read&& read) {
    Reader from(packed);
    read(from, value);
    from.end();
    return value;
}

} // namespace

bool send(int fd, const Header& header, std::span<const std::byte> contents) {
    const auto begin = std::as_bytes(std::span(&header, 1));
    iovec parts[] = {{const_cast<std::byte*>(begin.data()), begin.size()},
                     {const_cast<std::byte*>(contents.data()), contents.size()}};
    msghdr whole{};
    whole.msg_iov = parts;
    whole.msg_iovlen = contents.empty() ? 1 : 2;
    ssize_t sent;
    do
        sent = sendmsg(fd, &whole, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    if (sent < 0)
        return false;
    const auto done = static_cast<size_t>(sent);
    using sim::cuda::wire::send_all;
    return done < begin.size() ? send_all(fd, begin.subspan(done)) && send_all(fd, contents)
                               : send_all(fd, contents.subspan(done - begin.size()));
}

std::vector<std::byte> pack(const Open& open) {
    const auto& [sm, sms, memory, max_instructions, schedule, protocol, estimate] = open.settings;
    Writer to;
    to << sm << sms << memory << max_instructions << schedule.completion << schedule.warps << schedule.seed << protocol
       << estimate << open.record << open.repeated << open.source_names.size();
    for (size_t i = 0; i < open.source_names.size(); ++i)
        to << std::string_view(open.source_names[i]) << std::as_bytes(std::span(open.source_texts[i]));
    return to.take();
}

Open open(std::span<const std::byte> packed) {
    return unpack(packed, Open{}, [](Reader& from, Open& open) {
        using S = sim::machine::Schedule;
        auto& [sm, sms, memory, max_instructions, schedule, protocol, estimate] = open.settings;
        from >> sm >> sms >> memory >> max_instructions;
        from.read(schedule.completion, S::Completion::random);
        from.read(schedule.warps, S::Warps::random);
        from >> schedule.seed >> protocol >> estimate >> open.record >> open.repeated;
        for (size_t left = from.length(2 * sizeof(uint64_t)); left > 0; --left) {
            std::vector<std::byte> text;
            from >> open.source_names.emplace_back() >> text;
            open.source_texts.emplace_back(reinterpret_cast<const char*>(text.data()), text.size());
        }
    });
}

std::vector<std::byte> pack(const Trace& trace) {
    // `issued` and `began` stay where the requests are.
    const auto& [operations, issued, launches, statistics, lost, uploaded, loads, downloaded, flow, full, began] =
        trace;
    Writer to;
    write_all(to, operations);
    write_all(to, launches);
    to << statistics << lost << std::span<const std::byte>(uploaded) << loads.size();
    for (const auto& [buffer, bytes] : loads)
        to << buffer << bytes;
    to << std::span<const std::byte>(downloaded) << full.operations << full.launches << full.uploaded << full.downloaded
       << flow.has_value();
    if (flow)
        write(to, *flow);
    return to.take();
}

Trace trace(std::span<const std::byte> packed) {
    return unpack(packed, Trace{}, [](Reader& from, Trace& trace) {
        read_all(from, trace.operations, 6 * sizeof(uint64_t));
        read_all(from, trace.launches, sizeof(sim::machine::Statistics) + 13 * sizeof(uint64_t));
        from >> trace.statistics;
        read(from, trace.lost);
        from >> trace.uploaded;
        for (size_t left = from.length(2 * sizeof(uint64_t)); left > 0; --left) {
            uint64_t buffer = 0, bytes = 0;
            from >> buffer >> bytes;
            trace.loads[buffer] = bytes;
        }
        auto& [operations, launches, uploaded, downloaded] = trace.full;
        bool flows = false;
        from >> trace.downloaded >> operations >> launches >> uploaded >> downloaded >> flows;
        if (flows) {
            auto& flow = trace.flow.emplace();
            read(from, flow);
        }
    });
}

std::vector<std::byte> pack(const Condition& condition) {
    Writer to;
    to << condition.errors << condition.lost;
    return to.take();
}

Condition condition(std::span<const std::byte> packed) {
    return unpack(packed, Condition{}, [](Reader& from, Condition& condition) {
        from >> condition.errors;
        read(from, condition.lost);
    });
}

std::vector<std::byte> pack(const Judged& judged) {
    const Words words{judged.findings, judged.gaps, judged.executed, judged.protocol, judged.estimate};
    const std::string text = base::to_json(words).dump(-1, ' ', false, json::error_handler_t::replace);
    const auto bytes = std::as_bytes(std::span(text));
    return {bytes.begin(), bytes.end()};
}

// No field may be missing, unknown or of another type.
Judged judged(std::span<const std::byte> packed) {
    const std::string_view text(reinterpret_cast<const char*>(packed.data()), packed.size());
    if (text.size() > most_words || !is_shallow(text))
        throw Malformed{};
    try {
        const json parsed = json::parse(text);
        Words words = base::from_json<Words>(parsed);
        if (base::to_json(words) != parsed)
            throw Malformed{};
        return {words.findings, words.gaps, words.executed, std::move(words.protocol), words.estimate};
    } catch (const std::exception&) {
        throw Malformed{};
    }
}

std::vector<std::byte> pack(const sim::provenance::Followed& followed) {
    const auto& [inputs, results] = followed;
    Writer to;
    for (const auto* ranges : {&inputs, &results}) {
        to << ranges->size();
        for (const auto& [address, bytes] : *ranges)
            to << address << bytes;
    }
    return to.take();
}

sim::provenance::Followed followed(std::span<const std::byte> packed) {
    return unpack(packed, sim::provenance::Followed{}, [](Reader& from, sim::provenance::Followed& followed) {
        for (auto* ranges : {&followed.inputs, &followed.results})
            for (size_t left = from.length(2 * sizeof(uint64_t)); left > 0; --left) {
                auto& [address, bytes] = ranges->emplace_back();
                from >> address >> bytes;
            }
    });
}

uint64_t pack(const State& state) {
    return static_cast<uint64_t>(state.busy) | static_cast<uint64_t>(state.told_architecture) << 1 |
           static_cast<uint64_t>(state.errors) << 2 | static_cast<uint64_t>(state.strayed) << 3;
}

State state(uint64_t packed) {
    if (packed > 15)
        throw Malformed{};
    return {(packed & 1) != 0, (packed & 2) != 0, (packed & 4) != 0, (packed & 8) != 0};
}

} // namespace check::message
