// The process in which the simulated device executes what a student wrote. It locks itself in before it reads anything,
// and then does what the checker asks (check/message.h), for one run of a case after the other.
#include <algorithm>
#include <new>
#include <optional>

#include <malloc.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check/boxed/device.h"
#include "check/message.h"
#include "check/server.h"
#include "check/verdict.h"
#include "isolation/device_box.h"
#include "isolation/isolation.h"
#include "sim/cuda/wire/socket.h"
#include "sim/ptx/source_texts.h"

namespace check::boxed {
namespace {

using message::Ask, message::Header;

struct Answer {
    uint64_t number = 0;
    std::vector<std::byte> contents{};
};

class Served {
  public:
    Answer carry_out(const Header& request, std::vector<std::byte> contents) {
        const auto [first, second] = request.numbers;
        switch (request.ask) {
        case Ask::open:
            open(message::open(contents));
            return {};
        case Ask::start:
            start(std::string(reinterpret_cast<const char*>(contents.data()), contents.size()));
            return {};
        case Ask::close:
            server_.reset();
            return {};
        case Ask::join:
            server().join();
            return {};
        case Ask::take_recording: {
            const Recorded recorded = server().take_recording();
            recording_ = recorded.here;
            return {recorded.complete};
        }
        case Ask::allocate:
            return {server().allocate(first)};
        case Ask::write:
            server().write(first, contents);
            return {};
        case Ask::begin_call:
            server().begin_call();
            return {};
        case Ask::returned:
            server().returned();
            return {};
        case Ask::finish_call: {
            auto trace = message::pack(server().finish_call());
            errors_ = server().condition().errors != 0;
            return {0, std::move(trace)};
        }
        case Ask::follow:
            server().follow(message::followed(contents));
            return {};
        case Ask::read:
            return {0, server().read(first, second)};
        case Ask::written_by_kernel:
            return {server().written_by_kernel(first, second)};
        case Ask::elements_written: {
            const auto written = server().elements_written(first, second, contents.size());
            std::transform(written.begin(), written.end(), contents.begin(), [](bool one) { return std::byte{one}; });
            return {0, std::move(contents)};
        }
        case Ask::condition:
            return {0, message::pack(server().condition())};
        case Ask::judged:
            return {0, message::pack(server().judged())};
        case Ask::repeat_the_rest:
            return {server().repeat_the_rest()};
        case Ask::newest_stream:
            return {server().newest_stream()};
        case Ask::interrupt:
            return {server().interrupt(std::chrono::milliseconds(first))};
        }
        throw message::Malformed{};
    }

    message::State state() {
        return server_ ? message::State{server_->busy(), server_->told_architecture(), errors_, server_->strayed()}
                       : message::State{};
    }

  private:
    Server& server() { return server_ ? *server_ : throw Failed{Verdict::internal, "no device was opened"}; }

    void open(message::Open open) {
        errors_ = false;
        sim::ptx::SourceTexts texts;
        for (size_t i = 0; i < open.source_names.size(); ++i)
            texts[open.source_names[i]] = std::move(open.source_texts[i]);
        sim::ptx::use_source_texts(std::move(texts));
        server_.emplace(options(open.settings), open.record ? Server::Keep::all : Server::Keep::copies,
                        open.repeated ? std::move(recording_) : nullptr, sim::cuda::SharedMemory::Descriptor{shared},
                        open.settings.estimate);
    }

    void start(std::string ptx) {
        const int program = sim::cuda::wire::receive_descriptor(control);
        if (program < 0)
            throw Failed{Verdict::internal, "no socket of the program came"};
        server().start(program, std::move(ptx));
    }

    std::optional<Server> server_;
    bool errors_ = false; ///< when the call ended
    std::shared_ptr<const Recording> recording_;
};

bool receive(void* to, size_t bytes) {
    for (auto* next = static_cast<char*>(to); bytes > 0;) {
        const ssize_t got = recv(control, next, bytes, MSG_WAITALL);
        if (got <= 0)
            return false;
        next += got;
        bytes -= static_cast<size_t>(got);
    }
    return true;
}

struct Failure {
    Verdict verdict;
    std::string message;
};

std::optional<Failure> failure; ///< of a request without an answer

Answer carry_out(Served& device, const Header& request, std::vector<std::byte> contents) {
    if (request.ask == Ask::open || request.ask == Ask::close)
        failure.reset();
    else if (failure)
        return {};
    try {
        return device.carry_out(request, std::move(contents));
    } catch (const Failed& reason) {
        failure = {reason.verdict, reason.message};
    } catch (const std::exception& problem) {
        failure = {Verdict::internal, problem.what()};
    }
    return {};
}

bool answer(Served& device, const Header& request, std::vector<std::byte> contents) {
    Answer answer = carry_out(device, request, std::move(contents));
    if (!message::has_answer(request.ask))
        return true;
    Header header{.ask = request.ask, .numbers = {answer.number, message::pack(device.state())}};
    if (failure) {
        header.failed = 1 + static_cast<uint32_t>(failure->verdict);
        const auto bytes = std::as_bytes(std::span(failure->message));
        answer.contents.assign(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(std::min<size_t>(
                                                                  bytes.size(), message::most_excuse)));
        failure.reset();
    }
    header.bytes = answer.contents.size();
    return message::send(control, header, answer.contents);
}

[[noreturn]] void serve() {
    Served device;
    Header request;
    while (receive(&request, sizeof request)) {
        std::vector<std::byte> contents(request.bytes);
        if (!receive(contents.data(), contents.size()) || !answer(device, request, std::move(contents)))
            break;
    }
    _exit(0); // the checker has gone
}

// The next run needs as much memory: a fault for each page takes longer than the run.
void keep_memory() {
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 128 << 20);
    mallopt(M_ARENA_MAX, 1); // the program's thread and this one hardly ever run at once
}

} // namespace
} // namespace check::boxed

int main() {
    using namespace check::boxed;
    keep_memory();
    std::set_new_handler([] { _exit(out_of_memory); });
    const std::string refused = isolation::enter(
        {.user = isolation::throwaway_user(), .data_bytes = data_bytes, .processor_seconds = processor_seconds});
    const uint64_t bytes = refused.size();
    if (!sim::cuda::wire::send_all(control, std::as_bytes(std::span(&bytes, 1))) ||
        !sim::cuda::wire::send_all(control, std::as_bytes(std::span(refused))) || !refused.empty())
        return 1;
    serve();
}
