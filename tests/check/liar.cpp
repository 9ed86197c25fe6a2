// Says what no device's process says. How: by the name that it is started with.
#include <cstring>
#include <string>

#include <sys/socket.h>
#include <unistd.h>

#include "check/boxed/device.h"
#include "check/message.h"
#include "check/verdict.h"

using namespace check;
using message::Ask, message::Header;

namespace {

std::string lie;

void say(Header header, std::string_view contents = {}) {
    header.bytes = std::max<uint64_t>(header.bytes, contents.size());
    if (!message::send(boxed::control, header, std::as_bytes(std::span(contents))))
        _exit(0);
}

void answer(const Header& request) {
    if (request.ask != Ask::judged)
        say({.ask = request.ask});
    else if (lie == "dies")
        abort();
    else if (lie == "out-of-memory")
        _exit(boxed::out_of_memory);
    else if (lie == "leaves")
        _exit(0);
    else if (lie == "hangs-up")
        shutdown(boxed::control, SHUT_RDWR);
    else if (lie == "other-answer")
        say({.ask = Ask::condition});
    else if (lie == "endless")
        say({.ask = request.ask, .bytes = uint64_t{1} << 40});
    else if (lie == "long-excuse")
        say({.ask = request.ask, .failed = 1, .bytes = uint64_t{1} << 30});
    else if (lie == "no-verdict")
        say({.ask = request.ask, .failed = 99});
    else if (lie == "no-state")
        say({.ask = request.ask, .numbers = {0, ~uint64_t{0}}});
    else if (lie == "no-json")
        say({.ask = request.ask}, "{\"findings\": [");
    else if (lie == "deep")
        say({.ask = request.ask}, std::string(4 << 20, '['));
    else if (lie == "unknown-field")
        say({.ask = request.ask},
            R"({"findings": [], "gaps": [], "executed": {"exactly": 0, "approximately": [], "not": [],
            "not_reached": 0, "kernels": [], "never_launched": []}, "points": 100})");
    else if (lie == "other-type")
        say({.ask = request.ask}, R"({"findings": 7, "gaps": [], "executed": {}})");
    else // the neighbour that is honest
        say({.ask = request.ask},
            R"({"findings": [], "gaps": [], "executed": {"exactly": 3, "approximately": [], "not": [],
            "not_reached": 0, "kernels": [], "never_launched": []},
            "protocol": {"operations": 0, "every_order": true, "not_all": "", "states": 0, "seconds": 0},
            "deviates": false})");
}

} // namespace

int main(int, char** argv) {
    lie = argv[0];
    lie = lie.substr(lie.rfind('/') + 1);
    const uint64_t greeting = 0;
    if (write(boxed::control, &greeting, sizeof greeting) != sizeof greeting)
        return 1;
    Header request;
    while (recv(boxed::control, &request, sizeof request, MSG_WAITALL) == sizeof request) {
        std::vector<char> contents(request.bytes);
        if (request.bytes)
            recv(boxed::control, contents.data(), contents.size(), MSG_WAITALL);
        if (message::has_answer(request.ask))
            answer(request);
    }
}
