// Loads a program's copy: memory files, dlopen, data and constructors of the copy.
#include "launch/loader/program_copy.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace launch {
namespace {

/// A path of the open file `fd` that no other copy has: the dynamic loader takes libraries of one
/// name for one library, and descriptors are used again. The number is spelt with the two ways
/// of writing a slash that change nothing; counting from 1, none is spelt like a library's.
std::string unique_path(int fd, std::uint64_t number) {
  std::string path = "/proc/self/fd";
  for (number += 1; number != 0; number >>= 1) path += (number & 1) != 0 ? "//" : "/.";
  return path + "/" + std::to_string(fd);
}

/// The dynamic loader's message without the memory file's name, on one line.
std::string loader_message() {
  const char* text = dlerror();
  std::string message = text != nullptr ? text : "cannot be loaded";
  if (message.rfind("/proc/self/fd", 0) == 0) {
    const auto colon = message.find(": ");
    if (colon != std::string::npos) message.erase(0, colon + 2);
  }
  std::replace(message.begin(), message.end(), '\n', ' ');
  if (message.find("failed to map segment") != std::string::npos) {
    return "no room for another copy (the kernel's vm.max_map_count allows some 13,000); use "
           "fewer ranks, or declare the program CORESPEC_SHARED_IMAGE if it has no globals";
  }
  constexpr std::string_view undefined = "undefined symbol: ";
  if (message.rfind(undefined, 0) == 0) {
    message = "uses " + message.substr(undefined.size()) +
              ", which no library here has; link the library that defines it";
  }
  return message;
}

std::uintptr_t load_address(void* handle) {
  link_map* map = nullptr;
  dlinfo(handle, RTLD_DI_LINKMAP, &map);
  return map->l_addr;
}

/// Writes to a place that may already be read-only (the loader protects what it has relocated).
void write_protected(std::uintptr_t address, std::uintptr_t value, const ElfFile& elf,
                     std::uintptr_t base) {
  constexpr std::uintptr_t page_bytes = 4096;
  const std::uintptr_t begin = address / page_bytes * page_bytes;
  const std::size_t bytes =
      address + sizeof(value) > begin + page_bytes ? 2 * page_bytes : page_bytes;
  bool read_only = false;
  for (const Elf64_Phdr& segment : elf.segments()) {
    read_only = read_only || (segment.p_type == PT_GNU_RELRO &&
                              address - base - segment.p_vaddr < segment.p_memsz);
  }
  auto* where = reinterpret_cast<void*>(begin);
  if (read_only) mprotect(where, bytes, PROT_READ | PROT_WRITE);
  std::memcpy(reinterpret_cast<void*>(address), &value, sizeof(value));
  if (read_only) mprotect(where, bytes, PROT_READ);
}

std::vector<ProgramCopy::Function> function_array(std::uintptr_t base, std::uint64_t address,
                                                  std::uint64_t count) {
  std::vector<ProgramCopy::Function> functions;
  const auto* array = reinterpret_cast<ProgramCopy::Function*>(base + address);
  for (std::uint64_t i = 0; i < count; ++i) {
    // 0 and -1 are place holders, by tradition.
    const auto value = reinterpret_cast<std::uintptr_t>(array[i]);
    if (value != 0 && value != ~std::uintptr_t{0}) functions.push_back(array[i]);
  }
  return functions;
}

}  // namespace

std::unique_ptr<ProgramCopy> ProgramCopy::load(const ProgramImage& image, std::uint64_t number) {
  std::unique_ptr<ProgramCopy> copy(new ProgramCopy(image));
  copy->load_files(number);
  copy->find_ranges();
  copy->copy_library_data();
  for (const bool storage : {true, false}) {
    copy->place_variables(image.program(), copy->base_, storage);
    for (std::size_t i = 0; i < copy->library_bases_.size(); ++i) {
      copy->place_variables(image.private_library(i), copy->library_bases_[i], storage);
    }
  }
  copy->find_constructors();
  return copy;
}

void ProgramCopy::load_files(std::uint64_t number) {
  std::vector<int> libraries(image_->private_library_count());
  for (std::size_t i = libraries.size(); i-- > 0;) {
    // A library may need any other one by its descriptor's number: open all before writing names.
    libraries[i] = memfd_create("castor", MFD_CLOEXEC);
    if (libraries[i] < 0) {
      throw LoadError(image_->path(),
                      "too many open files for its private libraries; raise "
                      "'ulimit -n' or link them statically");
    }
  }
  for (std::size_t i = 0; i < libraries.size(); ++i) {
    const int written = image_->private_library(i).make_copy(libraries);
    dup3(written, libraries[i], O_CLOEXEC);
    close(written);
  }
  const int file = image_->program().make_copy(libraries);
  void* handle = dlopen(unique_path(file, number).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const std::string message = loader_message();
    close(file);
    throw LoadError(image_->path(), message);
  }
  base_ = load_address(handle);
  image_->program().map_constant_parts(base_, file);
  close(file);  // the mapping keeps it; libraries' stay open, their names must not come again
  for (std::size_t i = 0; i < libraries.size(); ++i) {
    const std::string path = "/proc/self/fd/" + std::to_string(libraries[i]);
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
    if (library == nullptr) throw LoadError(image_->path(), loader_message());
    library_bases_.push_back(load_address(library));
    image_->private_library(i).map_constant_parts(library_bases_.back(), libraries[i]);
  }
}

void ProgramCopy::find_ranges() {
  ranges_.emplace_back(base_ + elf().lowest_address(), base_ + elf().highest_address());
  for (std::size_t i = 0; i < library_bases_.size(); ++i) {
    const ElfFile& library = image_->private_library(i).elf();
    ranges_.emplace_back(library_bases_[i] + library.lowest_address(),
                         library_bases_[i] + library.highest_address());
  }
  program_headers_ = base_ + elf().lowest_address() + elf().header().e_phoff;
}

bool ProgramCopy::contains(const void* address) const {
  const auto value = reinterpret_cast<std::uintptr_t>(address);
  return std::any_of(ranges_.begin(), ranges_.end(), [value](const auto& range) {
    return value >= range.first && value < range.second;
  });
}

void ProgramCopy::copy_library_data() {
  // The dynamic loader looks for these in the copy before the library, and copies zeros.
  for (const ProgramImage::CopiedData& data : image_->copied_data()) {
    std::memcpy(reinterpret_cast<void*>(base_ + data.address),
                reinterpret_cast<void*>(library_bases_[data.library] + data.library_address),
                data.bytes);
  }
}

void* ProgramCopy::variable(LibcVariable which) const {
  switch (which) {
    case LibcVariable::optarg:
      return variables_.optarg;
    case LibcVariable::optind:
      return variables_.optind;
    case LibcVariable::opterr:
      return variables_.opterr;
    case LibcVariable::optopt:
      return variables_.optopt;
    case LibcVariable::environ:
      return variables_.environ;
    case LibcVariable::invocation_name:
      return variables_.name;
    case LibcVariable::invocation_short_name:
      return variables_.short_name;
    case LibcVariable::count:
      break;
  }
  return nullptr;
}

void ProgramCopy::set_variable(LibcVariable which, std::uintptr_t address) {
  switch (which) {
    case LibcVariable::optarg:
      variables_.optarg = reinterpret_cast<char**>(address);
      break;
    case LibcVariable::optind:
      variables_.optind = reinterpret_cast<int*>(address);
      break;
    case LibcVariable::opterr:
      variables_.opterr = reinterpret_cast<int*>(address);
      break;
    case LibcVariable::optopt:
      variables_.optopt = reinterpret_cast<int*>(address);
      break;
    case LibcVariable::environ:
      variables_.environ = reinterpret_cast<char***>(address);
      break;
    case LibcVariable::invocation_name:
      variables_.name = reinterpret_cast<char**>(address);
      break;
    case LibcVariable::invocation_short_name:
      variables_.short_name = reinterpret_cast<char**>(address);
      break;
    case LibcVariable::count:
      break;
  }
}

void ProgramCopy::place_variables(const ImageFile& file, std::uintptr_t base, bool storage) {
  for (const ImageFile::VariableUse& use : file.variable_uses()) {
    if (use.is_storage != storage) continue;
    if (storage) {
      set_variable(use.variable, base + use.address);
    } else {
      write_protected(base + use.address, reinterpret_cast<std::uintptr_t>(variable(use.variable)),
                      file.elf(), base);
    }
  }
}

void ProgramCopy::find_constructors() {
  const auto add = [this](const Initializers& initializers, std::uintptr_t base,
                          std::vector<Function>& constructors) {
    if (initializers.init != 0) {
      constructors.push_back(reinterpret_cast<Function>(base + initializers.init));
    }
    const auto array = function_array(base, initializers.init_array, initializers.init_count);
    constructors.insert(constructors.end(), array.begin(), array.end());
  };
  const auto add_destructors = [this](const Initializers& initializers, std::uintptr_t base) {
    auto array = function_array(base, initializers.fini_array, initializers.fini_count);
    for (auto function = array.rbegin(); function != array.rend(); ++function) {
      destructors_.push_back(reinterpret_cast<void (*)()>(*function));
    }
    if (initializers.fini != 0) {
      destructors_.push_back(reinterpret_cast<void (*)()>(base + initializers.fini));
    }
  };
  const Initializers& own = image_->program().initializers();
  library_constructors_ = function_array(base_, own.preinit_array, own.preinit_count);
  add_destructors(own, base_);
  const std::vector<std::size_t>& order = image_->construction_order();
  for (const std::size_t library : order) {
    add(image_->private_library(library).initializers(), library_bases_[library],
        library_constructors_);
  }
  for (auto library = order.rbegin(); library != order.rend(); ++library) {
    add_destructors(image_->private_library(*library).initializers(), library_bases_[*library]);
  }
  add(own, base_, program_constructors_);
}

}  // namespace launch
