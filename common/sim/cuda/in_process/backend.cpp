#include <mutex>

#include "sim/cuda/device/service.h"
#include "sim/cuda/in_process/findings.h"
#include "sim/cuda/program/backend.h"
#include "sim/cuda/program/session.h"

namespace sim::cuda {

namespace {

class LocalBackend : public Backend {
  public:
    explicit LocalBackend(const machine::Options& options) : service_(options) {}

    Reply transact(const Header& header, const void* body, Payload payload) override {
        const std::lock_guard lock(mutex_);
        return service_.handle(header, {static_cast<const std::byte*>(body), header.body_bytes}, payload);
    }
    void finish() override {
        const std::lock_guard lock(mutex_);
        print(service_.gpu().reporter(), Session::get().json_file());
    }
    int shared_memory() const override { return service_.shared().fd(); }

  private:
    std::mutex mutex_;
    Service service_;
};

} // namespace

std::unique_ptr<Backend> local_backend(const machine::Options& options) {
    return std::make_unique<LocalBackend>(options);
}

} // namespace sim::cuda
