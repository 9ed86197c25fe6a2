#include "runner/saved_file.h"

#include <sys/inotify.h>
#include <unistd.h>

#include "base/files.h"
#include "base/problem.h"

namespace runner {

SavedFile::~SavedFile() {
    if (inotify_ >= 0)
        close(inotify_);
}

// The folder, not the file: editors write a new one and rename it.
void SavedFile::look_at(const fs::path& file) {
    file_ = file;
    if (inotify_ >= 0)
        close(inotify_);
    inotify_ = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    const fs::path folder = file.has_parent_path() ? file.parent_path() : ".";
    if (inotify_add_watch(inotify_, folder.c_str(), IN_CLOSE_WRITE | IN_MOVED_TO) < 0)
        throw base::Problem{"cannot watch " + base::shown(folder),
                            "use ./lab check; /proc/sys/fs/inotify/max_user_watches may be too low"};
}

bool SavedFile::saved() {
    usleep(20'000); // editors write in several steps
    alignas(inotify_event) char events[4096];
    bool ours = false;
    for (ssize_t got; (got = read(inotify_, events, sizeof events)) > 0;)
        for (ssize_t at = 0; at < got;) {
            const auto* event = reinterpret_cast<const inotify_event*>(events + at);
            ours = ours || (event->len && file_.filename() == event->name);
            at += ssize_t(sizeof *event + event->len);
        }
    return ours && fs::exists(file_);
}

} // namespace runner
