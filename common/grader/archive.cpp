#include <archive.h>
#include <archive_entry.h>

#include <clocale>
#include <memory>
#include <optional>

#include <fmt/format.h>

#include "base/problem.h"
#include "grader/files.h"

namespace grader {
namespace {

using Reader = std::unique_ptr<archive, decltype(&archive_read_free)>;

Reader reader() {
    std::setlocale(LC_CTYPE, "C.UTF-8"); // else names that are not ASCII have no path
    Reader made(archive_read_new(), archive_read_free);
    archive_read_support_filter_gzip(made.get());
    archive_read_support_filter_bzip2(made.get());
    archive_read_support_filter_xz(made.get());
    archive_read_support_filter_zstd(made.get());
    archive_read_support_format_zip(made.get());
    archive_read_support_format_tar(made.get());
    archive_read_support_format_gnutar(made.get());
    return made;
}

std::string name_of(archive_entry* entry) {
    const char* utf8 = archive_entry_pathname_utf8(entry);
    const char* path = utf8 ? utf8 : archive_entry_pathname(entry);
    return path ? path : "";
}

bool is_regular(archive_entry* entry) {
    return archive_entry_filetype(entry) == AE_IFREG && !archive_entry_hardlink(entry) && !archive_entry_symlink(entry);
}

// Reads an archive that an instructor has downloaded: calls `wanted` for each file, and `take` with its contents unless
// they exceed `limit`. Inflates only wanted files, if the format allows it.
void for_each(const fs::path& path, const std::function<size_t(const std::string&)>& wanted,
              const std::function<void(const std::string&, std::optional<std::string>)>& take) {
    const Reader source = reader();
    if (archive_read_open_filename(source.get(), path.c_str(), 65536) != ARCHIVE_OK)
        throw base::Problem{path.string() + " cannot be read: neither a zip nor a tar archive", "unpack it yourself"};
    archive_entry* entry = nullptr;
    for (;;) {
        const int status = archive_read_next_header(source.get(), &entry);
        if (status == ARCHIVE_EOF)
            return;
        if (status < ARCHIVE_WARN)
            throw base::Problem{path.string() + " is damaged", "download it again"};
        const std::string name = name_of(entry);
        const size_t limit = is_regular(entry) ? wanted(name) : 0;
        if (!limit)
            continue;
        std::optional<std::string> contents = "";
        char block[65536];
        la_ssize_t got = 0;
        while (contents && (got = archive_read_data(source.get(), block, sizeof block)) > 0)
            if (contents->append(block, static_cast<size_t>(got)).size() > limit)
                contents.reset();
        if (got < 0)
            throw base::Problem{path.string() + " is damaged", "download it again"};
        take(name, std::move(contents));
    }
}

} // namespace

Reading read_archive(std::string_view bytes, Budget& budget, int depth) {
    Reading result;
    const Reader source = reader();
    if (archive_read_open_memory(source.get(), bytes.data(), bytes.size()) != ARCHIVE_OK) {
        result.problems.push_back("cannot be read: neither a zip nor a tar archive");
        return result;
    }
    archive_entry* entry = nullptr;
    char block[65536];
    for (;;) {
        const int status = archive_read_next_header(source.get(), &entry);
        if (status == ARCHIVE_EOF)
            break;
        if (status < ARCHIVE_WARN) {
            result.problems.push_back("is damaged");
            break;
        }
        if (!budget.entry()) {
            result.problems.emplace_back(more_than_any);
            break;
        }
        const std::string name = name_of(entry);
        const bool inner = is_archive(name);
        const bool named = is_wanted(name), wanted = named && (!inner || depth < Budget::depth) && is_regular(entry);
        const size_t most = inner ? Budget::archive_bytes : Budget::file_bytes;
        // The data is read here even if it is not wanted, so that its size counts. Where it would be written by other
        // programs ("..", "/etc") does not matter: only the text is taken.
        std::string contents;
        bool too_large = false;
        la_ssize_t got = 0;
        while ((got = archive_read_data(source.get(), block, sizeof block)) > 0) {
            too_large |= contents.size() + static_cast<size_t>(got) > most;
            if (wanted && !too_large)
                contents.append(block, static_cast<size_t>(got));
            if (!budget.inflate(static_cast<size_t>(got)))
                break;
        }
        if (budget.spent()) {
            continue; // the next header ends it
        } else if (got < 0) {
            result.problems.push_back(fmt::format("{} {}: left out", name,
                                                  archive_entry_is_encrypted(entry) ? "is encrypted" : "is damaged"));
        } else if (named && !wanted) {
            result.problems.push_back(
                fmt::format("{} is {}: left out", name, is_regular(entry) ? "too deep inside" : "no regular file"));
        } else if (wanted && too_large) {
            result.problems.push_back(fmt::format("{} is too large: left out", name));
        } else if (wanted && inner) {
            take(result, name, read_archive(contents, budget, depth + 1));
        } else if (wanted && budget.keep(contents.size())) {
            // As unpacking would leave it: an appended newer version replaces the older one.
            if (!result.files.insert_or_assign(name, std::move(contents)).second)
                result.problems.push_back(fmt::format("{} is there twice: the last one counts", name));
        }
    }
    return result;
}

std::vector<std::string> list_archive(const fs::path& path) {
    std::vector<std::string> names;
    for_each(path,
             [&](const std::string& name) {
                 names.push_back(name);
                 return 0;
             },
             {});
    return names;
}

Files read_members(const fs::path& path, const std::function<size_t(const std::string&)>& wanted,
                   std::vector<std::string>& problems) {
    Files files;
    for_each(path, wanted, [&](const std::string& name, std::optional<std::string> contents) {
        if (contents)
            files.try_emplace(name, std::move(*contents));
        else
            problems.push_back(name + " is too large: left out");
    });
    return files;
}

} // namespace grader
