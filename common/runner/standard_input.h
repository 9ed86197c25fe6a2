// The input of `./lab run`, for a program that runs once under each schedule: each run reads all of it.
#pragma once

#include <string>
#include <thread>

#include <sys/types.h>

namespace runner {

class StandardInput {
  public:
    /// This process's own.
    static StandardInput& get();

    /// One run of a program: from before it starts until it has ended.
    class Run {
      public:
        explicit Run(StandardInput& input);
        ~Run();
        Run(const Run&) = delete;
        int fd() const { return fd_; } ///< what the program reads; -1: our own input, which is a terminal or a device
        void started(pid_t program);   ///< it has its own copy of fd()

      private:
        StandardInput& input_;
        int fd_ = -1, feed_ = -1; ///< feed_: the other end of a pipe
        int stop_[2] = {-1, -1};
        std::thread feeder_;
    };

  private:
    StandardInput();
    void feed(int into, int stop, pid_t program);
    bool read_more(); ///< false: there is no more

    off_t began_ = -1;  ///< of a file: where the input begins
    bool pipe_ = false; ///< what is read from it has to be kept
    bool ended_ = false;
    std::string kept_;
};

} // namespace runner
