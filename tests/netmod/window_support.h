// Windows for tests: of every kind, with fences around what is done in them.
#pragma once

#include <vector>

#include "tests/netmod/job_support.h"
#include "tests/support/live_job.h"

namespace castor_test {

enum class WindowKind { create, allocate, shared, dynamic };

/// Over MPI_COMM_WORLD, with the same number of bytes at each rank; displacements are bytes.
class TestWindow {
 public:
  TestWindow(WindowKind kind, std::size_t bytes) : kind_(kind) {
    const auto size = static_cast<MPI_Aint>(bytes);
    if (kind == WindowKind::create || kind == WindowKind::dynamic) {
      own_.resize(bytes);
      data_ = own_.data();
    }
    switch (kind) {
      case WindowKind::create:
        MPI_Win_create(data_, size, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window_);
        break;
      case WindowKind::allocate:
        MPI_Win_allocate(size, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &data_, &window_);
        break;
      case WindowKind::shared:
        MPI_Win_allocate_shared(size, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &data_, &window_);
        break;
      case WindowKind::dynamic:
        MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &window_);
        MPI_Win_attach(window_, data_, size);
        addresses_ = gathered(reinterpret_cast<std::int64_t>(data_));
        break;
    }
  }
  ~TestWindow() {
    if (kind_ == WindowKind::dynamic) {
      MPI_Barrier(MPI_COMM_WORLD);
      EXPECT_EQ(MPI_Win_detach(window_, data_), MPI_SUCCESS);
    }
    EXPECT_EQ(MPI_Win_free(&window_), MPI_SUCCESS);
    EXPECT_EQ(window_, MPI_WIN_NULL);
  }
  TestWindow(const TestWindow&) = delete;
  TestWindow& operator=(const TestWindow&) = delete;

  MPI_Win get() const { return window_; }
  std::byte* data() const { return data_; }
  /// The displacement of a byte of a rank's part.
  MPI_Aint at(int rank, std::size_t offset) const {
    const auto from = static_cast<MPI_Aint>(offset);
    return addresses_.empty() ? from : addresses_[static_cast<std::size_t>(rank)] + from;
  }
  void open() const { EXPECT_EQ(MPI_Win_fence(MPI_MODE_NOPRECEDE, window_), MPI_SUCCESS); }
  void close() const { EXPECT_EQ(MPI_Win_fence(MPI_MODE_NOSUCCEED, window_), MPI_SUCCESS); }

 private:
  WindowKind kind_;
  MPI_Win window_ = MPI_WIN_NULL;
  std::vector<std::byte> own_;
  std::byte* data_ = nullptr;
  std::vector<std::int64_t> addresses_;
};

}  // namespace castor_test
