#include <mutex>
#include <stdexcept>

#include <unistd.h>

#include "sim/cuda/program/backend.h"
#include "sim/cuda/wire/socket.h"

namespace sim::cuda {

namespace {

class SocketBackend : public Backend {
  public:
    explicit SocketBackend(int fd) : fd_(fd), shared_(wire::receive_descriptor(fd)) {
        if (shared_ < 0)
            throw std::runtime_error("the other end of ASYNCLAB_DEVICE does not answer");
    }
    ~SocketBackend() override {
        close(shared_);
        close(fd_);
    }

    Reply transact(const Header& header, const void* body, Payload payload) override {
        if (payload.size() > max_payload)
            throw std::runtime_error("a request is too large");
        static std::mutex mutex; // outside the heap: outside_heap.h
        const std::lock_guard lock(mutex);
        if (wire::send(fd_, header, body, payload))
            if (auto reply = wire::receive_reply(fd_))
                return std::move(*reply);
        throw std::runtime_error("the simulated device has gone");
    }
    int shared_memory() const override { return shared_; }

  private:
    int fd_, shared_;
};

} // namespace

std::unique_ptr<Backend> socket_backend(int fd) {
    return std::make_unique<SocketBackend>(fd);
}

} // namespace sim::cuda
