#include "runner/core_file.h"

#include <atomic>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>
#include <zstd.h>

#include "base/files.h"
#include "base/problem.h"
#include "check/server.h"
#include "launch/part.h"
#include "runner/launch_file.h"
#include "sim/cuda/wire/command.h"
#include "sim/ptx/source_texts.h"
#include "sim/rules/rule.h"

namespace runner {

using base::Problem, base::read_file, base::shown, base::write_file;
using check::Recording;
using nlohmann::json;

namespace core_file {
namespace {

constexpr std::string_view magic = "asynclab core 1\n";
constexpr size_t most_bytes = size_t{512} << 20; ///< uncompressed

json::binary_t binary(std::span<const std::byte> bytes) {
    const auto* begin = reinterpret_cast<const uint8_t*>(bytes.data());
    return json::binary(std::vector<uint8_t>(begin, begin + bytes.size())).get_binary();
}

std::vector<std::byte> bytes(const json& value) {
    const auto& raw = value.get_binary();
    const auto* begin = reinterpret_cast<const std::byte*>(raw.data());
    return {begin, begin + raw.size()};
}

json to_json(const Recording& recording) {
    json all = json::array();
    for (const auto& [request, host] : recording.requests()) {
        json one{uint32_t(request.header.command), request.header.call, binary(request.body), binary(request.payload)};
        for (const auto& memory : host)
            one.push_back(binary(memory));
        all.push_back(std::move(one));
    }
    return all;
}

std::shared_ptr<const Recording> recording(const json& all) {
    auto made = std::make_shared<Recording>();
    for (const json& one : all) {
        sim::cuda::wire::Request request;
        request.body = bytes(one.at(2));
        request.payload = bytes(one.at(3));
        request.header = {sim::cuda::Command(one.at(0).get<uint32_t>()), uint32_t(request.body.size()),
                          uint32_t(request.payload.size()), one.at(1).get<uint32_t>()};
        made->add(request);
        for (size_t i = 4; i < one.size(); ++i)
            made->add_host_memory(bytes(one.at(i)));
    }
    return made;
}

std::string compressed(const std::vector<uint8_t>& plain) {
    std::string out(ZSTD_compressBound(plain.size()), '\0');
    out.resize(ZSTD_compress(out.data(), out.size(), plain.data(), plain.size(), 9));
    return out;
}

std::vector<uint8_t> expanded(std::string_view packed) {
    const auto size = ZSTD_getFrameContentSize(packed.data(), packed.size());
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > most_bytes)
        return {};
    std::vector<uint8_t> out(size);
    const size_t got = ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size());
    return got == size ? out : std::vector<uint8_t>();
}

// The files that a description of launches names: {file = "in.npy"}.
void collect_files(const json& part, const LaunchFile& file, std::map<std::string, std::string>& found) {
    if (part.is_object() && part.contains("file") && part["file"].is_string()) {
        const std::string name = part["file"];
        found[fs::path(name).filename().string()] = read_file(file.beside(name));
    }
    if (part.is_structured())
        for (const json& inner : part)
            collect_files(inner, file, found);
}

// What is kept has no folders, and saves nothing.
void simplify(json& part) {
    if (part.is_object()) {
        part.erase("save");
        if (part.contains("file") && part["file"].is_string())
            part["file"] = fs::path(part["file"].get<std::string>()).filename().string();
    }
    if (part.is_structured())
        for (json& inner : part)
            simplify(inner);
}

std::map<std::string, std::string> launched_files(const RunArguments& arguments) {
    const LaunchFile file(arguments.launch);
    std::map<std::string, std::string> found;
    json description = file.description();
    collect_files(description, file, found);
    simplify(description);
    found["launch.json"] = description.dump();
    found[fs::path(arguments.file).filename().string()] = read_file(arguments.file);
    return found;
}

// Texts of the files that findings and the program name.
std::map<std::string, std::string> sources(const Outcome& outcome, const std::set<fs::path>& own_files) {
    std::set<std::string> names;
    for (const auto& file : own_files)
        names.insert(file.string());
    const auto add = [&](const sim::hazards::Place& place) {
        names.insert(place.file);
        for (const auto& call : place.calls)
            names.insert(call.file);
    };
    for (const auto& finding : outcome.findings) {
        add(finding.first);
        std::ranges::for_each(finding.others, add);
    }
    std::map<std::string, std::string> texts;
    for (const auto& name : names)
        if (std::string text = sim::ptx::source_text(name); !text.empty())
            texts[name] = std::move(text);
    return texts;
}

/// A folder for as long as this process lives.
fs::path scratch() {
    struct Folder {
        fs::path path;
        Folder() {
            std::string name = (fs::temp_directory_path() / "asynclab-core-XXXXXX").string();
            if (!mkdtemp(name.data()))
                throw Problem{"cannot make a folder in " + fs::temp_directory_path().string(),
                              "check the space and the rights there"};
            path = name;
        }
        ~Folder() {
            std::error_code problem;
            fs::remove_all(path, problem);
        }
    };
    static const Folder folder;
    return folder.path;
}

Outcome run_once(const Core& core, const RunArguments& arguments, const OneRun& one, Suppressions* suppressions) {
    check::Server server(one.options, check::Server::Keep::nothing, core.requests);
    std::atomic<bool> done = false;
    std::thread thread([&] {
        server.repeat_the_rest();
        server.lock().device.drain();
        done = true;
    });
    using Clock = std::chrono::steady_clock;
    const auto deadline =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(arguments.timeout));
    bool timed_out = false;
    while (!done && !timed_out) {
        usleep(500);
        one.progress.show();
        timed_out = arguments.timeout > 0 && Clock::now() > deadline;
    }
    one.progress.clear();
    if (timed_out)
        server.interrupt({});
    thread.join();
    const auto access = server.lock();
    return outcome_of(*access.gpu, access.trace.lost, timed_out ? code_timeout : core.exit_code, arguments,
                      suppressions);
}

bool same(const sim::hazards::Finding& a, const sim::hazards::Finding& b) {
    return a.rule == b.rule && a.first.file == b.first.file && a.first.line == b.first.line;
}

} // namespace
} // namespace core_file

void write_core(const fs::path& file, const Core& core) {
    json all{{"asynclab", ASYNCLAB_VERSION},
             {"protocol", sim::cuda::protocol_version},
             {"program", core.program},
             {"arch", core.arch},
             {"schedule", core.schedule},
             {"seed", core.seed},
             {"sms", core.sms},
             {"exit_code", core.exit_code}};
    const auto texts = [](const std::map<std::string, std::string>& of) {
        json made = json::object();
        for (const auto& [name, text] : of)
            made[name] = core_file::binary(std::as_bytes(std::span(text)));
        return made;
    };
    all["sources"] = texts(core.sources);
    all["files"] = texts(core.files);
    all["requests"] = core.requests ? core_file::to_json(*core.requests) : json::array();
    write_file(file, std::string(core_file::magic) + core_file::compressed(json::to_cbor(all)));
}

Core read_core(const fs::path& file) {
    const std::string text = read_file(file);
    const Problem damaged{shown(file) + " is damaged, or no file of ./lab run --core", "make it again"};
    if (!text.starts_with(core_file::magic))
        throw damaged;
    try {
        const json all = json::from_cbor(core_file::expanded(std::string_view(text).substr(core_file::magic.size())));
        if (all.at("protocol") != sim::cuda::protocol_version)
            throw Problem{fmt::format("{} is of asynclab {}, and this version speaks to its device in another way",
                                      shown(file), all.at("asynclab").get<std::string>()),
                          "repeat the run with that version, or make the file again"};
        const auto texts = [&](const char* key) {
            std::map<std::string, std::string> made;
            for (const auto& [name, one] : all.at(key).items()) {
                const auto raw = core_file::bytes(one);
                made[name].assign(reinterpret_cast<const char*>(raw.data()), raw.size());
            }
            return made;
        };
        Core core;
        core.program = all.at("program").get<std::string>();
        core.arch = all.at("arch").get<std::string>();
        core.schedule = all.at("schedule").get<std::string>();
        core.seed = all.at("seed").get<uint64_t>();
        core.sms = all.at("sms").get<uint32_t>();
        core.exit_code = all.at("exit_code").get<int>();
        core.sources = texts("sources");
        core.requests = core_file::recording(all.at("requests"));
        core.files = texts("files");
        return core;
    } catch (const json::exception&) {
        throw damaged;
    }
}

void KeptRun::take(const check::Recorded& run, const Outcome& outcome, const sim::machine::Schedule& schedule) {
    if (taken_ || !outcome.errors)
        return;
    taken_ = true;
    run_ = run;
    schedule_ = schedule;
    exit_code_ = outcome.code;
}

std::string KeptRun::write(const RunArguments& arguments, const Outcome& outcome,
                           const std::set<fs::path>& own_files) const {
    if (!taken_)
        return fmt::format("lab: no error was found, so there is no run to keep in {}\n", arguments.core);
    if (!run_.complete)
        return fmt::format("lab: the run does more than {} can hold ({} MiB of requests)\n", arguments.core,
                           Recording::most_bytes >> 20);
    Core core{.program = arguments.file,
              .arch = arguments.arch,
              .schedule = std::string(sim::hazards::name(schedule_.completion)),
              .seed = schedule_.seed,
              .sms = arguments.sms,
              .exit_code = exit_code_,
              .sources = core_file::sources(outcome, own_files),
              .requests = run_.here};
    if (!run_.here)
        core.files = core_file::launched_files(arguments);
    write_core(arguments.core, core);
    RunArguments again = arguments;
    again.timeout = 0;
    const Subject subject = repeated(arguments.core, again);
    const Outcome seen = run_simulated(subject, again, {}, nullptr);
    const bool shows = std::ranges::any_of(seen.findings, [&](const auto& finding) {
        return finding.severity == sim::hazards::Severity::error &&
               std::ranges::any_of(outcome.findings, [&](const auto& known) {
                   return known.rule == finding.rule && (core.files.empty() ? core_file::same(known, finding)
                                                                            : known.first.line == finding.first.line);
               });
    });
    if (!shows) {
        fs::remove(arguments.core);
        return fmt::format("lab: {} is not kept: the run depends on memory that the program shares with its kernels\n",
                           arguments.core);
    }
    return fmt::format("core: {} ({} kB); ./lab run {} repeats the run\n", arguments.core,
                       (fs::file_size(arguments.core) + 999) / 1000, arguments.core);
}

Subject repeated(const fs::path& file, RunArguments& arguments) {
    const auto core = std::make_shared<const Core>(read_core(file));
    arguments.arch = core->arch;
    arguments.sms = core->sms;
    if (arguments.schedule.empty()) {
        arguments.schedule = core->schedule;
        arguments.seed = core->seed;
    }
    if (core->files.empty()) {
        if (arguments.core.empty()) // else the files are here
            sim::ptx::use_source_texts(core->sources);
        return [core](const RunArguments& now, const OneRun& one, Suppressions* suppressions) {
            return core_file::run_once(*core, now, one, suppressions);
        };
    }
    for (const auto& [name, text] : core->files)
        write_file(core_file::scratch() / fs::path(name).filename(), text);
    arguments.launch = (core_file::scratch() / "launch.json").string();
    return launches(core_file::scratch() / fs::path(core->program).filename(), arguments);
}

} // namespace runner
