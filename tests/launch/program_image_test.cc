// Checking program files: what is refused, with which line; what programs declare.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdio>
#include <fstream>
#include <iterator>
#include <random>

#include "launch/loader/library_images.h"
#include "launch/loader/program_image.h"
#include "tests/support/test_folder.h"

namespace {

using launch::ElfFile;
using launch::LibraryImages;
using launch::LoadError;
using launch::ProgramImage;
using testing::HasSubstr;

const std::string programs = PROGRAMS;

std::string refusal(const std::string& path) {
  try {
    ProgramImage::open(path, "");
  } catch (const LoadError& error) {
    return error.what();
  }
  return "accepted";
}

/// A file in the test's directory, removed at its end.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& bytes, mode_t mode = 0755) {
    std::ofstream(path_, std::ios::binary) << bytes;
    chmod(path_.c_str(), mode);
  }
  const std::string& path() const { return path_; }

 private:
  castor_test::TestFolder folder_;
  std::string path_ = folder_ / "file";
};

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

TEST(ProgramImage, RefusesWithTheWayOut) {
  EXPECT_THAT(refusal(programs + "/none"), HasSubstr("No such file"));
  EXPECT_THAT(refusal("/tmp"), HasSubstr("is a directory"));
  EXPECT_THAT(refusal(programs + "/fixed"), HasSubstr("fixed addresses; link it position"));
  EXPECT_THAT(refusal(programs + "/static"), HasSubstr("statically linked; link it dynamically"));
  EXPECT_THAT(refusal(programs + "/static_pie"), HasSubstr("(without -static-pie)"));
  EXPECT_THAT(refusal(programs + "/thread_local"), HasSubstr("mpicc -castor-tls"));
  EXPECT_THAT(refusal(programs + "/libinner_library.so"), HasSubstr("is a shared library"));
  EXPECT_THAT(refusal(programs + "/sanitized"), HasSubstr("without -fsanitize"));
  EXPECT_THAT(refusal(programs + "/library_lost"),
              HasSubstr("needs liblibrary.so, which is not found; set LD_LIBRARY_PATH"));
}

TEST(ProgramImage, FindsLibrariesInTheGivenPath) {
  const auto image = ProgramImage::open(programs + "/library_lost", "/nowhere:" + programs);
  EXPECT_EQ(image->private_library_count(), 2U);
}

TEST(ProgramImage, RefusesScriptsAndOtherFiles) {
  EXPECT_THAT(refusal(TemporaryFile("#!/bin/sh\nexit 0\n").path()), HasSubstr("is a script"));
  EXPECT_THAT(refusal(TemporaryFile("hello").path()), HasSubstr("no ELF file"));
  EXPECT_THAT(refusal(TemporaryFile("").path()), HasSubstr("no ELF file"));
  std::string bytes = bytes_of(programs + "/globals");
  EXPECT_THAT(refusal(TemporaryFile(bytes, 0644).path()), HasSubstr("not executable; chmod +x"));
  bytes[4] = 1;  // ELFCLASS32
  EXPECT_THAT(refusal(TemporaryFile(bytes).path()), HasSubstr("not a 64-bit"));
  bytes[4] = 2;
  bytes[18] = static_cast<char>(183);  // EM_AARCH64
  EXPECT_THAT(refusal(TemporaryFile(bytes).path()), HasSubstr("another processor"));
}

TEST(ProgramImage, DamagedFilesNeverCrash) {
  const std::string good = bytes_of(programs + "/stripped");
  // Section headers, after what is loaded, may be missing.
  const std::size_t loaded = launch::ElfFile::read(programs + "/stripped").loadable_bytes().size();
  for (std::size_t size = 0; size < loaded; size += 1 + size / 8) {
    EXPECT_NE(refusal(TemporaryFile(good.substr(0, size)).path()), "accepted") << size;
  }
  std::mt19937 random(4711);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes = good;
    for (int i = 0; i < 8; ++i) {
      // Headers and the dynamic section's segment are where damage could lead astray.
      const std::size_t at = random() % 2 != 0 ? random() % 1024 : random() % bytes.size();
      bytes[at] = static_cast<char>(random());
    }
    refusal(TemporaryFile(bytes).path());
  }
}

TEST(ProgramImage, ReadsWhatProgramsDeclare) {
  const auto plain = ProgramImage::open(programs + "/globals", "");
  EXPECT_FALSE(plain->modelled());
  EXPECT_FALSE(plain->shared());
  for (const char* name : {"/modelled", "/modelled_stripped"}) {
    const auto modelled = ProgramImage::open(programs + name, "");
    EXPECT_TRUE(modelled->modelled());
    EXPECT_FALSE(modelled->shared());
  }
  const auto shared = ProgramImage::open(programs + "/shared_image", "");
  EXPECT_TRUE(shared->modelled());
  EXPECT_TRUE(shared->shared());
}

TEST(FindProgram, LooksInThePathAndHere) {
  EXPECT_EQ(launch::find_program("./a", "/bin"), "./a");
  EXPECT_EQ(launch::find_program("globals", "/nowhere:" + programs), programs + "/globals");
  EXPECT_THROW(launch::find_program("no_such_program", programs), LoadError);
  EXPECT_THROW(launch::find_program("", programs), LoadError);
}

// However many copies open it.
TEST(LibraryImages, AreReadOnce) {
  const auto program = ProgramImage::open(programs + "/opens", "");
  LibraryImages& images = program->opened();
  const auto read = [&](const std::string& path) {
    return &images.read(path, path, program->search(), program->program().elf());
  };
  const LibraryImages::Library* const first = read(programs + "/libfirst_opened.so");
  ASSERT_EQ(first->needs.size(), 1U);
  EXPECT_THAT(first->needs[0], HasSubstr("/libinner_library.so"));
  EXPECT_NE(first, read(programs + "/libsecond_opened.so"));
  EXPECT_EQ(first, read(programs + "/libfirst_opened.so"));
}

TEST(LibraryImages, ChangedFilesAreReadAnew) {
  const auto program = ProgramImage::open(programs + "/opens", "");
  LibraryImages& images = program->opened();
  const TemporaryFile file(bytes_of(programs + "/libsecond_opened.so"));
  const auto read = [&] {
    return &images.read(file.path(), file.path(), program->search(), program->program().elf());
  };
  const LibraryImages::Library* const before = read();
  EXPECT_EQ(before, read());
  std::ofstream(file.path(), std::ios::binary) << bytes_of(programs + "/libinner_library.so");
  const LibraryImages::Library* const after = read();
  EXPECT_NE(before, after);
  EXPECT_TRUE(after->needs.empty());
  std::ofstream(file.path(), std::ios::binary) << "no library";
  EXPECT_THROW(read(), LoadError);
}

}  // namespace
