#include <archive.h>
#include <archive_entry.h>

#include <memory>

#include <fmt/format.h>

#include "grader/files.h"

namespace grader {

Reading read_archive(std::string_view bytes, const ReadLimits& limits) {
    Reading result;
    const std::unique_ptr<archive, decltype(&archive_read_free)> reader(archive_read_new(), archive_read_free);
    archive_read_support_filter_gzip(reader.get());
    archive_read_support_filter_bzip2(reader.get());
    archive_read_support_filter_xz(reader.get());
    archive_read_support_filter_zstd(reader.get());
    archive_read_support_format_zip(reader.get());
    archive_read_support_format_tar(reader.get());
    archive_read_support_format_gnutar(reader.get());
    if (archive_read_open_memory(reader.get(), bytes.data(), bytes.size()) != ARCHIVE_OK) {
        result.problems.push_back("cannot be read: neither a zip nor a tar archive");
        return result;
    }
    size_t entries = 0, kept = 0, inflated = 0;
    archive_entry* entry = nullptr;
    char block[65536];
    for (;;) {
        const int status = archive_read_next_header(reader.get(), &entry);
        if (status == ARCHIVE_EOF)
            break;
        if (status < ARCHIVE_WARN) {
            result.problems.push_back("is damaged");
            break;
        }
        if (++entries > limits.entries || inflated > limits.inflated_bytes) {
            result.problems.push_back("holds more than any submission does: the rest is left out");
            break;
        }
        const char* path = archive_entry_pathname(entry);
        const std::string name = path ? path : "";
        const bool wanted = name.ends_with(".cu") && archive_entry_filetype(entry) == AE_IFREG &&
                            !archive_entry_hardlink(entry) && !archive_entry_symlink(entry);
        // The data is read here even if it is not wanted, so that its size counts. Where it would be written by other
        // programs ("..", "/etc") does not matter: only the text is taken.
        std::string contents;
        bool too_large = false;
        for (la_ssize_t got; (got = archive_read_data(reader.get(), block, sizeof block)) > 0;) {
            inflated += static_cast<size_t>(got);
            too_large |= contents.size() + static_cast<size_t>(got) > limits.file_bytes;
            if (wanted && !too_large)
                contents.append(block, static_cast<size_t>(got));
            if (inflated > limits.inflated_bytes)
                break;
        }
        if (name.ends_with(".cu") && !wanted)
            result.problems.push_back(fmt::format("{} is no regular file: left out", name));
        else if (wanted && (too_large || kept + contents.size() > limits.all_bytes))
            result.problems.push_back(fmt::format("{} is too large: left out", name));
        else if (wanted) {
            kept += contents.size();
            result.files.try_emplace(name, std::move(contents));
        }
    }
    return result;
}

} // namespace grader
