#include "sim/cuda/program/session.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <unistd.h>

#include "base/demangle.h"
#include "sim/cuda/program/outside_heap.h"
#include "sim/cuda/wire/command.h"

namespace sim::cuda {

namespace {

const char* setting(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

} // namespace

Session& Session::get() {
    static Session* session =
        new (outside_heap<Session>()) Session; // never destroyed: programs call us from their own destructors
    return *session;
}

machine::Options Session::device_options() const {
    machine::Options options;
    const std::string_view schedule = setting("ASYNCLAB_SCHEDULE");
    using machine::Schedule;
    if (schedule == "eager") {
        options.schedule.completion = Schedule::Completion::eager;
        options.schedule.warps = Schedule::Warps::one_ahead;
    } else if (schedule == "random") {
        options.schedule.completion = Schedule::Completion::random;
        options.schedule.warps = Schedule::Warps::random;
    }
    if (const uint64_t seed = std::strtoull(setting("ASYNCLAB_SEED"), nullptr, 10))
        options.schedule.seed = seed;
    if (const uint64_t sm = std::strtoull(setting("ASYNCLAB_SM"), nullptr, 10); sm >= 50 && sm < 1000)
        options.properties = machine::properties_of(static_cast<uint32_t>(sm));
    if (const uint64_t sms = std::strtoull(setting("ASYNCLAB_SMS"), nullptr, 10); sms && sms <= 1024)
        options.properties.sm_count = static_cast<uint32_t>(sms);
    return options;
}

int Session::device_fd() const {
    const std::string_view device = setting("ASYNCLAB_DEVICE");
    if (real_device())
        return std::atoi(device.data() + 4);
    return device.starts_with("fd:") ? std::atoi(device.data() + 3) : -1;
}

bool Session::real_device() const {
    return std::string_view(setting("ASYNCLAB_DEVICE")).starts_with("gpu:");
}

bool Session::device_has_ptx() const {
    return std::string_view(setting("ASYNCLAB_PTX")) == "device";
}

std::string Session::json_file() const {
    return setting("ASYNCLAB_JSON");
}

bool Session::first_time(const void* site) {
    const std::lock_guard lock(mutex_);
    return sites_.insert(site).second;
}

void Session::say(std::string_view line) {
    const std::lock_guard lock(mutex_);
    if (std::find(said_.begin(), said_.end(), line) != said_.end())
        return;
    said_.emplace_back(line);
    std::fprintf(stderr, "asynclab: %.*s\n", static_cast<int>(line.size()), line.data());
}

void Session::cannot_run(std::string_view why) {
    say(why);
    std::fflush(nullptr);
    _exit(exit_not_supported);
}

namespace {

/// Headers of the toolkit and of the system, and what nvcc generates: a template there is not what the program's author
/// has written.
bool is_wrapper(const std::string& file) {
    const std::string name = std::filesystem::path(file).filename().string();
    for (const std::string_view own : {"cuda_runtime.h", "cuda_runtime_api.h", "host_runtime.h", "stub.c"})
        if (name.starts_with(own) || name.find(".cudafe1.") != name.npos)
            return true;
    for (const std::string_view folder :
         {"/include/c++/", "/usr/include/", "/usr/lib/", "/targets/x86_64-linux/include/", "/cuda/include/", "/cccl/",
          "common/sim/cuda/program/", "/sysdeps/"})
        if (file.find(folder) != file.npos)
            return true;
    return false;
}

/// A function, and "file:line" in it.
struct SourceLine {
    std::string function, place;
};

// From the program's debug information, by addr2line: of inlined calls, the innermost first.
std::vector<SourceLine> inlined_at(const std::string& program, uintptr_t address) {
    std::vector<SourceLine> lines;
    if (program.find('\'') != std::string::npos)
        return lines;
    char command[4608];
    std::snprintf(command, sizeof command, "addr2line -i -f -C -e '%s' 0x%zx 2>/dev/null", program.c_str(),
                  static_cast<size_t>(address));
    FILE* pipe = popen(command, "r");
    if (!pipe)
        return lines;
    const auto next = [&](std::string& text) {
        char part[4608];
        while ((text.empty() || text.back() != '\n') && std::fgets(part, sizeof part, pipe))
            text += part;
        const bool whole = !text.empty();
        text.resize(std::min(text.size(), text.find('\n')));
        return whole;
    };
    for (SourceLine line; next(line.function) && next(line.place); line = {}) {
        line.place.resize(std::min(line.place.size(), line.place.find(" (discriminator")));
        lines.push_back(line);
    }
    pclose(pipe);
    return lines;
}

std::string text_at(const std::string& place) {
    const auto colon = place.rfind(':');
    std::ifstream file(place.substr(0, colon));
    std::string text;
    for (auto left = std::strtoul(place.c_str() + std::min(colon, place.size() - 1) + 1, nullptr, 10); left > 0; --left)
        if (!std::getline(file, text))
            return {};
    return text;
}

/// May this line of source access memory other than variables? Strings and comments do not count.
bool dereferences(const std::string& text) {
    bool quoted = false;
    char before = ';'; // what precedes, without blanks
    for (size_t i = 0; i < text.size(); ++i) {
        const char now = text[i];
        if (quoted) {
            i += now == '\\';
            quoted = now != '"';
            continue;
        }
        if (now == '/' && i + 1 < text.size() && text[i + 1] == '/')
            return false;
        if (now == '[' || (now == '>' && before == '-') ||
            (now == '*' && std::string_view(";(,=!&|+-*/%<>?:{}[").find(before) != std::string_view::npos))
            return true;
        quoted = now == '"';
        if (now != ' ' && now != '\t')
            before = now;
    }
    return false;
}

bool takes_only_numbers(const std::string& function) {
    const auto open = function.find('('), close = function.rfind(')');
    if (open == function.npos || close == function.npos || close < open)
        return false;
    std::istringstream words(function.substr(open + 1, close - open - 1));
    static const std::set<std::string> numbers{"bool", "char", "signed", "unsigned", "short",
                                               "int",  "long", "float",  "double",   ""};
    for (std::string word; words >> word;) {
        if (word.back() == ',')
            word.pop_back();
        if (!numbers.contains(word))
            return false;
    }
    return true;
}

// The line that an instruction stands for: the innermost that is the program's. But where an argument of an inlined
// function is computed only where the function uses it, the instruction has the function's line: it is the caller's if
// the function takes numbers only, as far as its name is known (addr2line gives a static one its caller's), and the
// caller's line alone accesses memory.
std::string source_of(const std::string& program, uintptr_t address, bool is_call) {
    const std::vector<SourceLine> lines = inlined_at(program, address);
    auto line = std::ranges::find_if(lines, [](const SourceLine& one) { return !is_wrapper(one.place); });
    if (line == lines.end())
        line = lines.begin();
    if (line == lines.end() || line->place.find("??") != std::string::npos)
        return {};
    if (line == lines.begin() && !is_call)
        for (auto inner = line; std::next(inner) != lines.end(); ++inner) {
            const auto outer = std::next(inner);
            const bool may_be = inner->function == outer->function || takes_only_numbers(inner->function);
            if (!may_be || is_wrapper(outer->place) || dereferences(text_at(inner->place)))
                break;
            if (dereferences(text_at(outer->place)))
                return outer->place;
        }
    return line->place;
}

bool in_system_library(const void* address) {
    Dl_info info{};
    const std::string_view file = dladdr(address, &info) && info.dli_fname ? info.dli_fname : "";
    return file.starts_with("/lib") || file.starts_with("/usr/lib");
}

// Is it in the program, not in a library?
bool in_program(const void* address) {
    struct Sought {
        uintptr_t address;
        bool found = false;
    } sought{reinterpret_cast<uintptr_t>(address)};
    dl_iterate_phdr(
        [](dl_phdr_info* program, size_t, void* data) { // the first one is the program
            auto& sought = *static_cast<Sought*>(data);
            for (int i = 0; i < program->dlpi_phnum; ++i)
                if (const auto& part = program->dlpi_phdr[i]; part.p_type == PT_LOAD)
                    sought.found = sought.found || sought.address - program->dlpi_addr - part.p_vaddr < part.p_memsz;
            return 1;
        },
        &sought);
    return sought.found;
}

} // namespace

CodePlace code_place(const void* address, bool returns) {
    CodePlace place{"", 0, "unknown code"};
    Dl_info info{};
    if (!address || !dladdr(address, &info) || !info.dli_fname)
        return place;
    const auto absolute = reinterpret_cast<uintptr_t>(address);
    const auto offset = absolute - reinterpret_cast<uintptr_t>(info.dli_fbase);
    // One byte before a return address is inside the call. Position-dependent programs are described by their own
    // addresses.
    const bool fixed = reinterpret_cast<uintptr_t>(info.dli_fbase) == 0x400000;
    const std::string source = source_of(info.dli_fname, (fixed ? absolute : offset) - (returns ? 1 : 0), returns);
    if (const auto colon = source.rfind(':'); colon != std::string::npos) {
        place.line = static_cast<uint32_t>(std::strtoul(source.c_str() + colon + 1, nullptr, 10));
        if (place.line)
            place.file = std::filesystem::path(source.substr(0, colon)).lexically_normal();
    }
    const std::string_view file = info.dli_fname;
    place.function = info.dli_sname ? base::demangled(info.dli_sname) : std::string(file.substr(file.rfind('/') + 1));
    char where[32];
    std::snprintf(where, sizeof where, "+0x%zx", static_cast<size_t>(offset) - (returns ? 1 : 0));
    place.function += where;
    return place;
}

CodePlace first_own_place(const std::vector<const void*>& frames) {
    CodePlace first; // the innermost that is the program's, or else the innermost
    bool is_own = false;
    for (size_t i = 0; i < frames.size(); ++i) {
        if (!frames[i])
            continue;
        CodePlace place = code_place(frames[i], i > 0);
        if (!place.file.empty() && !is_wrapper(place.file) && !in_system_library(frames[i]))
            return place;
        const bool own = in_program(frames[i]);
        if (first.function.empty() || (own && !is_own))
            first = std::move(place);
        is_own = is_own || own;
    }
    return first;
}

CodePlace calling_place(const void* address) {
    CodePlace place = code_place(address, true);
    if (!is_wrapper(place.file))
        return place;
    void* frames[64];
    void** const end = frames + backtrace(frames, int(std::size(frames)));
    for (void** caller = std::find(frames, end, address); caller != end; ++caller)
        if (const CodePlace outer = code_place(*caller, true); !is_wrapper(outer.file))
            return outer.file.empty() ? place : outer;
    return place;
}

} // namespace sim::cuda
