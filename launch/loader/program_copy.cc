// Loads a program's copy: memory files, dlopen, data and constructors of the copy.
#include "launch/loader/program_copy.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <type_traits>

#include "launch/loader/elf_writer.h"
#include "launch/loader/memory_file.h"
#include "launch/loader/opened_libraries.h"
#include "launch/loader/pages.h"

namespace launch {
namespace {

/// Writes to a place that may already be read-only (the loader protects what it has relocated).
void write_protected(std::uintptr_t address, std::uintptr_t value, const ElfFile& elf,
                     std::uintptr_t base) {
  const std::uintptr_t begin = page_floor(address);
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

void add_constructors(const Initializers& initializers, std::uintptr_t base,
                      std::vector<ProgramCopy::Function>& constructors) {
  if (initializers.init != 0) {
    constructors.push_back(reinterpret_cast<ProgramCopy::Function>(base + initializers.init));
  }
  const auto array = function_array(base, initializers.init_array, initializers.init_count);
  constructors.insert(constructors.end(), array.begin(), array.end());
}

void add_destructors(const Initializers& initializers, std::uintptr_t base,
                     std::vector<void (*)()>& destructors) {
  auto array = function_array(base, initializers.fini_array, initializers.fini_count);
  for (auto function = array.rbegin(); function != array.rend(); ++function) {
    destructors.push_back(reinterpret_cast<void (*)()>(*function));
  }
  if (initializers.fini != 0) {
    destructors.push_back(reinterpret_cast<void (*)()>(base + initializers.fini));
  }
}

/// A pointer of LibcVariables as an address, whatever it points to.
struct Member {
  std::uintptr_t (*get)(const LibcVariables& variables);
  void (*set)(LibcVariables& variables, std::uintptr_t address);
};

template <auto member>
constexpr Member address_in{
    [](const LibcVariables& variables) {
      return reinterpret_cast<std::uintptr_t>(variables.*member);
    },
    [](LibcVariables& variables, std::uintptr_t address) {
      auto& pointer = variables.*member;
      pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(address);
    }};

/// In the order of LibcVariable.
constexpr std::array members{
    address_in<&LibcVariables::optarg>,     address_in<&LibcVariables::optind>,
    address_in<&LibcVariables::opterr>,     address_in<&LibcVariables::optopt>,
    address_in<&LibcVariables::environ>,    address_in<&LibcVariables::name>,
    address_in<&LibcVariables::short_name>, address_in<&LibcVariables::signgam>,
    address_in<&LibcVariables::timezone>,   address_in<&LibcVariables::daylight>,
    address_in<&LibcVariables::tzname>};
static_assert(members.size() == static_cast<std::size_t>(LibcVariable::count));

const Member& member_of(LibcVariable which) { return members[static_cast<std::size_t>(which)]; }

}  // namespace

ProgramCopy::ProgramCopy(const ProgramImage& image, std::uint64_t number)
    : image_(&image), number_(number) {}

ProgramCopy::~ProgramCopy() = default;

std::unique_ptr<ProgramCopy> ProgramCopy::load(const ProgramImage& image, std::uint64_t number) {
  std::unique_ptr<ProgramCopy> copy(new ProgramCopy(image, number));
  copy->load_files();
  copy->copy_library_data();
  for (std::size_t i = 0; i < image.interposed().size(); ++i) {
    copy->interpose(image.interposed()[i], i == 0 ? image.program() : image.private_library(i - 1),
                    copy->base_of(i));
  }
  for (const bool storage : {true, false}) {
    copy->place_variables(image.program(), copy->base_, storage);
    for (std::size_t i = 0; i < copy->library_bases_.size(); ++i) {
      copy->place_variables(image.private_library(i), copy->library_bases_[i], storage);
    }
  }
  copy->find_constructors();
  return copy;
}

void ProgramCopy::load_files() {
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
  try {
    load_program(file, libraries);
  } catch (...) {
    close(file);
    throw;
  }
  base_ = load_address(handle_);
  parts_.push_back({&image_->program(), base_});
  program_headers_ = base_ + elf().lowest_address() + elf().header().e_phoff;
  image_->program().map_constant_parts(base_, file);
  close(file);  // the mapping keeps it; libraries' stay open, their names must not come again
  for (std::size_t i = 0; i < libraries.size(); ++i) {
    void* library = dlopen(open_path(libraries[i]).c_str(), RTLD_NOW | RTLD_NOLOAD);
    if (library == nullptr) throw LoadError(image_->path(), loader_message());
    library_bases_.push_back(load_address(library));
    libraries_.push_back({libraries[i], library});
    parts_.push_back({&image_->private_library(i), library_bases_.back()});
    image_->private_library(i).map_constant_parts(library_bases_.back(), libraries[i]);
  }
}

void ProgramCopy::load_program(int file, const std::vector<int>& libraries) {
  name_ = unique_path(file, number_);
  int mode = RTLD_NOW | RTLD_LOCAL;
  std::vector<std::string> group{name_};
  for (std::size_t i = 0; i < image_->preloaded_count(); ++i) {
    group.push_back(open_path(libraries[i]));
  }
  if (const MissingLibrary* missing = image_->missing()) group.push_back(missing->path());
  if (group.size() > 1) {
    load_group(image_->path(), group, RTLD_NOW);
    mode |= RTLD_NOLOAD;
  }
  handle_ = dlopen(name_.c_str(), mode);
  if (handle_ == nullptr) throw LoadError(image_->path(), loader_message());
}

void ProgramCopy::load_group(const std::string& path, const std::vector<std::string>& paths,
                             int mode) {
  MadeLibrary group;
  group.needed = paths;
  group.directory = open_files;
  const int file = write_memory_file(path, write_elf(group));
  // Copies of programs are fewer than this.
  constexpr unsigned bits_of_copies = 32;
  const std::string name = unique_path(file, (++groups_ << bits_of_copies) + number_);
  const void* handle = dlopen(name.c_str(), mode);
  const std::string message = handle == nullptr ? loader_message() : std::string();
  close(file);
  if (handle == nullptr) throw LoadError(path, message);
}

const ImageFile* ProgramCopy::file_at(const void* address) const {
  const auto value = reinterpret_cast<std::uintptr_t>(address);
  const auto found = std::find_if(parts_.begin(), parts_.end(), [value](const Part& part) {
    const ElfFile& elf = part.image->elf();
    return value >= part.base + elf.lowest_address() && value < part.base + elf.highest_address();
  });
  return found == parts_.end() ? nullptr : found->image;
}

OpenedLibraries& ProgramCopy::opened() {
  if (opened_ == nullptr) opened_ = std::make_unique<OpenedLibraries>(*this);
  return *opened_;
}

void ProgramCopy::copy_library_data() {
  // The dynamic loader looks for these in the copy before the library, and copies zeros.
  for (const ProgramImage::CopiedData& data : image_->copied_data()) {
    std::memcpy(reinterpret_cast<void*>(base_ + data.address),
                reinterpret_cast<void*>(library_bases_[data.library] + data.library_address),
                data.bytes);
  }
}

void ProgramCopy::place_variables(const ImageFile& file, std::uintptr_t base, bool storage) {
  for (const ImageFile::VariableUse& use : file.variable_uses()) {
    if (use.is_storage != storage) continue;
    if (storage) {
      member_of(use.variable).set(variables_, base + use.address);
    } else {
      write_protected(base + use.address, member_of(use.variable).get(variables_), file.elf(),
                      base);
    }
  }
}

std::uintptr_t ProgramCopy::base_of(std::size_t file) const {
  return file == 0 ? base_ : library_bases_[file - 1];
}

void ProgramCopy::interpose(const std::vector<Interposition::Use>& uses, const ImageFile& file,
                            std::uintptr_t base) {
  for (const Interposition::Use& use : uses) {
    write_protected(base + use.address, base_of(use.number) + use.definition, file.elf(), base);
  }
}

std::vector<ProgramCopy::Function> ProgramCopy::adopt(const ImageFile& library,
                                                      std::uintptr_t base) {
  parts_.push_back({&library, base});
  place_variables(library, base, false);
  interpose(image_->interposition().uses_in(library.elf()), library, base);
  std::vector<Function> constructors;
  add_constructors(library.initializers(), base, constructors);
  std::vector<void (*)()> destructors;
  add_destructors(library.initializers(), base, destructors);
  destructors_.insert(destructors_.begin(), destructors.begin(), destructors.end());
  return constructors;
}

void ProgramCopy::find_constructors() {
  const Initializers& own = image_->program().initializers();
  library_constructors_ = function_array(base_, own.preinit_array, own.preinit_count);
  add_destructors(own, base_, destructors_);
  const std::vector<std::size_t>& order = image_->construction_order();
  for (const std::size_t library : order) {
    add_constructors(image_->private_library(library).initializers(), library_bases_[library],
                     library_constructors_);
  }
  for (auto library = order.rbegin(); library != order.rend(); ++library) {
    add_destructors(image_->private_library(*library).initializers(), library_bases_[*library],
                    destructors_);
  }
  add_constructors(own, base_, program_constructors_);
}

}  // namespace launch
