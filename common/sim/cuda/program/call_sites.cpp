#include "sim/cuda/program/call_sites.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <vector>

#include <execinfo.h>
#include <link.h>

#include "sim/cuda/program/outside_heap.h"

namespace sim::cuda::call_sites {

namespace {

constexpr size_t deepest = 32, remembered = 12;

using Frames = std::vector<const void*>;
struct Known {
    std::mutex mutex;
    std::map<Frames, uint32_t> numbers;
    std::vector<Frames> all;
};
Known& known() {
    static Known* known = new (outside_heap<Known>()) Known; // programs call us from their own destructors
    return *known;
}

thread_local uint32_t in_use = 0;

/// The code of this library, if it is one of its own and no part of the program.
struct Range {
    uintptr_t begin = 0, end = 0;
    bool has(const void* address) const {
        const auto at = reinterpret_cast<uintptr_t>(address);
        return at >= begin && at < end;
    }
};

int look_at(dl_phdr_info* object, size_t, void* result) {
    if (!object->dlpi_name || !*object->dlpi_name)
        return 0; // the program itself
    Range range{UINTPTR_MAX, 0};
    for (int i = 0; i < object->dlpi_phnum; ++i)
        if (const auto& part = object->dlpi_phdr[i]; part.p_type == PT_LOAD && (part.p_flags & PF_X)) {
            range.begin = std::min(range.begin, object->dlpi_addr + part.p_vaddr);
            range.end = std::max(range.end, object->dlpi_addr + part.p_vaddr + part.p_memsz);
        }
    if (!range.has(reinterpret_cast<const void*>(&look_at)))
        return 0;
    *static_cast<Range*>(result) = range;
    return 1;
}

const Range& own_code() {
    static const Range range = [] {
        Range found;
        dl_iterate_phdr(look_at, &found);
        return found;
    }();
    return range;
}

uint32_t number_of(Frames frames) {
    Known& table = known();
    const std::lock_guard lock(table.mutex);
    const auto [entry, is_new] = table.numbers.try_emplace(std::move(frames), 0);
    if (is_new) {
        table.all.push_back(entry->first);
        entry->second = static_cast<uint32_t>(table.all.size());
    }
    return entry->second;
}

} // namespace

uint32_t here() {
    if (in_use)
        return in_use;
    void* frames[deepest];
    void** const end = frames + backtrace(frames, deepest);
    void** const first = std::find_if(frames + 1, end, [](const void* at) { return !own_code().has(at); });
    Frames found{nullptr}; // no instruction
    found.insert(found.end(), first, first + std::min<ptrdiff_t>(end - first, remembered));
    return number_of(std::move(found));
}

uint32_t of_instruction(std::span<const void* const> frames) {
    return number_of({frames.begin(), frames.begin() + std::min(frames.size(), remembered)});
}

CodePlace place(uint32_t number) {
    Frames frames;
    {
        Known& table = known();
        const std::lock_guard lock(table.mutex);
        if (!number || number > table.all.size())
            return {};
        frames = table.all[number - 1];
    }
    return first_own_place(frames);
}

Use::Use(uint32_t number) : before_(in_use) {
    if (number)
        in_use = number;
}

Use::~Use() {
    in_use = before_;
}

} // namespace sim::cuda::call_sites
