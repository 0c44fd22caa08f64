// Checks a program file, finds its libraries and reads what it declares of itself.
#include "launch/loader/program_image.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>

#include "corespec/include/corespec_work.h"
#include "launch/loader/needed_libraries.h"

namespace launch {
namespace {

void check_executable(const std::string& path) {
  if (access(path.c_str(), F_OK) != 0) throw LoadError(path, std::strerror(errno));
  if (access(path.c_str(), R_OK) != 0) {
    throw LoadError(path, "not readable, and aprun loads it itself; chmod +r it");
  }
}

void check_form(const ElfFile& file) {
  const std::string& path = file.path();
  const bool has_interpreter = file.has_segment(PT_INTERP);
  const bool is_pie = (file.dynamic(DT_FLAGS_1).value_or(0) & DF_1_PIE) != 0;
  if (file.header().e_type == ET_EXEC) {
    throw LoadError(path, has_interpreter
                              ? "linked for fixed addresses; link it position-independent "
                                "(compile with -fPIE, link with -pie)"
                              : "statically linked; link it dynamically (without -static)");
  }
  if (!has_interpreter && is_pie) {
    throw LoadError(path, "statically linked; link it dynamically (without -static-pie)");
  }
  if (!has_interpreter || file.header().e_entry == 0) {
    throw LoadError(path, "is a shared library, not a program; name a program");
  }
  if (access(path.c_str(), X_OK) != 0) throw LoadError(path, "not executable; chmod +x it");
  if (file.has_segment(PT_TLS) && is_pie) {
    throw LoadError(path,
                    "has thread-local variables, whose place is fixed in a plain executable; "
                    "build it with mpicc -castor-tls");
  }
}

}  // namespace

std::unique_ptr<const ProgramImage> ProgramImage::open(const std::string& path,
                                                       const std::string& library_path,
                                                       const std::string& preloaded) {
  check_executable(path);
  std::unique_ptr<ProgramImage> image(new ProgramImage(path));
  ElfFile file = ElfFile::read(path);
  check_form(file);
  if (const std::string reason = other_mpi(file); !reason.empty()) throw LoadError(path, reason);
  image->files_.emplace_back(std::move(file));
  image->read_notes();
  image->search_.own = own_library_directory();
  image->search_.from_environment = search_directories(library_path, path);
  image->find_preloaded(preloaded);
  image->find_libraries();
  image->order_construction();
  image->find_copied_data();
  image->find_interposed();
  image->find_missing_symbols();
  for (ImageFile& part : image->files_) part.share_constant_parts();
  return image;
}

void ProgramImage::read_notes() {
  program().elf().for_each_note(
      CORESPEC_NOTE_OWNER, [this](std::uint32_t type, const std::string& description) {
        std::uint32_t version = 0;
        if (description.size() >= sizeof(version)) {
          std::memcpy(&version, description.data(), sizeof(version));
        }
        if (version != CORESPEC_NOTE_VERSION) {
          throw LoadError(path_, "declares itself in a way this aprun does not know; rebuild it");
        }
        if (type == CORESPEC_NOTE_MODELLED || type == CORESPEC_NOTE_SHARED) modelled_ = true;
        if (type == CORESPEC_NOTE_SHARED) shared_ = true;
      });
}

void ProgramImage::find_preloaded(const std::string& names) {
  for (std::size_t begin = 0; begin < names.size();) {
    const std::size_t end = std::min(names.find_first_of(": ", begin), names.size());
    const std::string name = names.substr(begin, end - begin);
    begin = end + 1;
    const std::string file_name = canonical_library_name(name.substr(name.rfind('/') + 1));
    if (name.empty() || safe_to_share(file_name)) continue;
    std::string reason = reason_to_refuse(file_name);
    if (reason.empty() && shared_) {
      reason = "declares CORESPEC_SHARED_IMAGE, and ranks cannot share " + name +
               " (LD_PRELOAD); build it without";
    }
    if (!reason.empty()) throw LoadError(path_, reason);
    const std::string file = find_library(program().elf(), name, search_);
    if (file.empty()) throw LoadError("LD_PRELOAD", name + " is not found");
    private_library(file);
  }
  preloaded_count_ = private_library_count();
}

void ProgramImage::find_libraries() {
  for (std::size_t at = 0; at < files_.size(); ++at) {
    needs_.resize(files_.size());
    const LibrarySearch search = with_run_paths(search_, files_[at].elf(), program().elf());
    for (const NeededLibrary& needed : private_libraries_of(files_[at], path_, search)) {
      if (is_openmp(needed.name)) openmp_ = needed.name;
      const std::string reason = shared_ ? not_for_shared_images(needed.name) : std::string();
      if (!reason.empty()) throw LoadError(path_, reason);
      const std::size_t index = private_library(needed.path);
      files_[at].rename_needed(needed.name, index);
      needs_[at].push_back(index);
    }
  }
  if (private_library_count() > 0) files_.front().search_in_open_files();
}

bool ProgramImage::needs(std::string_view library) const {
  return std::any_of(files_.begin(), files_.end(), [library](const ImageFile& file) {
    const std::vector<std::string> names = file.elf().needed();
    return std::any_of(names.begin(), names.end(),
                       [library](const std::string& name) { return name.starts_with(library); });
  });
}

std::uint64_t ProgramImage::tls_room() const {
  std::uint64_t bytes = 0;
  bool needed = false;
  for (const ImageFile& file : files_) {
    bytes += file.thread_local_bytes();
    needed = needed || file.needs_tls_room();
  }
  return needed ? bytes : 0;
}

std::size_t ProgramImage::private_library(const std::string& file) {
  for (std::size_t i = 0; i < private_library_count(); ++i) {
    if (private_library(i).elf().path() == file) return i;
  }
  ElfFile library = ElfFile::read(file);
  if (const std::string reason = other_mpi(library); !reason.empty()) {
    throw LoadError(path_, reason);
  }
  files_.emplace_back(std::move(library));
  return private_library_count() - 1;
}

void ProgramImage::order_construction() {
  std::vector<bool> visited(files_.size(), false);
  const std::function<void(std::size_t)> visit = [&](std::size_t file) {
    if (visited[file]) return;
    visited[file] = true;
    for (const std::size_t library : needs_[file]) visit(library + 1);
    if (file != 0) construction_order_.push_back(file - 1);
  };
  for (std::size_t library = 0; library < preloaded_count_; ++library) visit(library + 1);
  visit(0);
}

void ProgramImage::find_copied_data() {
  if (private_library_count() == 0) return;
  program().elf().for_each_symbol_relocation([this](const Elf64_Rela& relocation) {
    if (ELF64_R_TYPE(relocation.r_info) != R_X86_64_COPY) return;
    const ElfFile::Symbol symbol = program().elf().symbol(ELF64_R_SYM(relocation.r_info));
    if (dlsym(RTLD_DEFAULT, symbol.name.c_str()) != nullptr) return;  // the loader copies it
    for (std::size_t i = 0; i < private_library_count(); ++i) {
      const auto definition = private_library(i).elf().definition(symbol.name);
      if (!definition) continue;
      copied_data_.push_back({relocation.r_offset, i, definition->st_value,
                              std::min(symbol.entry.st_size, definition->st_size)});
      return;
    }
  });
}

void ProgramImage::find_interposed() {
  interposition_.emplace(files_, needs_, preloaded_count_);
  for (const ImageFile& file : files_) interposed_.push_back(interposition_->uses_in(file.elf()));
}

void ProgramImage::find_missing_symbols() {
  std::vector<const ElfFile*> files;
  for (const ImageFile& file : files_) files.push_back(&file.elf());
  const LoadedDefinitions loaded(files);
  const MissingSymbols missing =
      find_missing(files, [&loaded](const std::string& name, const std::string& version) {
        return loaded.have(name, version);
      });
  refuse_missing_data(missing, path_);
  missing_ = MissingLibrary::make(missing, path_);
}

std::string find_program(const std::string& name, const std::string& search_path) {
  if (name.empty()) throw LoadError("''", "no program has an empty name");
  if (name.find('/') != std::string::npos) return name;
  for (const std::string& directory : search_directories(search_path + ":.", name)) {
    std::string path = directory + "/" + name;
    if (access(path.c_str(), X_OK) == 0) return path;
  }
  throw LoadError(name, "not found in PATH or the current directory");
}

}  // namespace launch
