// GNU getopt's algorithm: permutation of operands, short and long options.
#include "launch/libc/option_scanner.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string>

namespace launch {

OptionScanner::OptionScanner(RankProgram& program, int argc, char** argv, const char* short_options)
    : scan_(program.option_scan),
      argument_(*program.copy().variables().optarg),
      index_(*program.copy().variables().optind),
      option_(*program.copy().variables().optopt),
      argc_(argc),
      argv_(argv),
      short_options_(short_options) {
  if (*short_options_ == '-' || *short_options_ == '+') {
    order_ = *short_options_ == '-' ? Order::in_order : Order::require;
    ++short_options_;
  } else if (program.environment_value("POSIXLY_CORRECT") != nullptr) {
    order_ = Order::require;
  }
  colon_ = *short_options_ == ':';
  complains_ = !colon_ && *program.copy().variables().opterr != 0;
}

void OptionScanner::complain(const char* format, ...) const {
  if (!complains_) return;
  char text[512];
  va_list values;
  va_start(values, format);
  std::vsnprintf(text, sizeof text, format, values);
  va_end(values);
  std::fprintf(stderr, "%s: %s\n", argv_[0], text);
}

void OptionScanner::restart_if_asked() {
  if (index_ != 0 && scan_.started) return;
  if (index_ == 0) index_ = 1;
  scan_ = {nullptr, index_, index_, true};
}

void OptionScanner::move_operands_back() {
  std::rotate(argv_ + scan_.first_operand, argv_ + scan_.last_operand, argv_ + index_);
  scan_.first_operand += index_ - scan_.last_operand;
  scan_.last_operand = index_;
}

void OptionScanner::skip_operands() {
  scan_.last_operand = std::min(scan_.last_operand, index_);
  scan_.first_operand = std::min(scan_.first_operand, index_);
  if (order_ == Order::permute) {
    if (scan_.first_operand != scan_.last_operand && scan_.last_operand != index_) {
      move_operands_back();
    } else if (scan_.last_operand != index_) {
      scan_.first_operand = index_;
    }
    while (index_ < argc_ && !at_option(index_)) ++index_;
    scan_.last_operand = index_;
  }
  if (index_ < argc_ && std::strcmp(argv_[index_], "--") == 0) {
    ++index_;
    if (scan_.first_operand != scan_.last_operand && scan_.last_operand != index_) {
      move_operands_back();
    } else if (scan_.first_operand == scan_.last_operand) {
      scan_.first_operand = index_;
    }
    scan_.last_operand = argc_;
    index_ = argc_;
  }
}

int OptionScanner::next(const option* long_options, int* index, bool single_dash) {
  if (argc_ < 1) return -1;
  argument_ = nullptr;
  restart_if_asked();
  if (scan_.next_short == nullptr || *scan_.next_short == '\0') {
    skip_operands();
    if (index_ >= argc_) {
      if (scan_.first_operand != scan_.last_operand) index_ = scan_.first_operand;
      return -1;
    }
    if (!at_option(index_)) {
      if (order_ == Order::require) return -1;
      argument_ = argv_[index_++];
      return 1;
    }
    const char* text = argv_[index_];
    if (long_options != nullptr) {
      if (text[1] == '-') {
        scan_.next_short = text + 2;
        return next_long(long_options, index, "--", single_dash);
      }
      if (single_dash && (text[2] != '\0' || std::strchr(short_options_, text[1]) == nullptr)) {
        scan_.next_short = text + 1;
        const int result = next_long(long_options, index, "-", single_dash);
        if (result != -1) return result;
      }
    }
    scan_.next_short = text + 1;
  }
  return next_short();
}

int OptionScanner::next_short() {
  const char letter = *scan_.next_short++;
  const char* entry = std::strchr(short_options_, letter);
  if (*scan_.next_short == '\0') ++index_;
  if (entry == nullptr || letter == ':' || letter == ';') {
    complain("invalid option -- '%c'", letter);
    option_ = static_cast<unsigned char>(letter);
    return '?';
  }
  if (entry[1] != ':') return static_cast<unsigned char>(letter);
  const bool optional = entry[2] == ':';
  int result = static_cast<unsigned char>(letter);
  if (*scan_.next_short != '\0') {
    argument_ = const_cast<char*>(scan_.next_short);
    ++index_;
  } else if (!optional && index_ >= argc_) {
    complain("option requires an argument -- '%c'", letter);
    option_ = static_cast<unsigned char>(letter);
    result = missing_argument();
  } else if (!optional) {
    argument_ = argv_[index_++];
  }
  scan_.next_short = nullptr;
  return result;
}

void OptionScanner::complain_ambiguous(const option* options, std::size_t length,
                                       const char* dashes) const {
  std::string possibilities;
  for (const option* entry = options; entry->name != nullptr; ++entry) {
    if (std::strncmp(entry->name, scan_.next_short, length) != 0) continue;
    possibilities += std::string(" '") + dashes + entry->name + "'";
  }
  complain("option '%s%s' is ambiguous; possibilities:%s", dashes, scan_.next_short,
           possibilities.c_str());
}

const option* OptionScanner::find_long(const option* options, std::size_t length,
                                       const char* dashes, bool& ambiguous) const {
  const option* found = nullptr;
  ambiguous = false;
  for (const option* entry = options; entry->name != nullptr; ++entry) {
    if (std::strncmp(entry->name, scan_.next_short, length) != 0) continue;
    if (std::strlen(entry->name) == length) {
      ambiguous = false;
      return entry;
    }
    if (found == nullptr) {
      found = entry;
    } else if (dashes[1] == '\0' || found->has_arg != entry->has_arg ||
               found->flag != entry->flag || found->val != entry->val) {
      ambiguous = true;
    }
  }
  return found;
}

int OptionScanner::next_long(const option* options, int* index, const char* dashes,
                             bool single_dash) {
  const std::size_t length = std::strcspn(scan_.next_short, "=");
  bool ambiguous = false;
  const option* found = find_long(options, length, dashes, ambiguous);
  if (ambiguous) {
    complain_ambiguous(options, length, dashes);
  } else if (found == nullptr) {
    // After one dash it may still be a group of short options.
    if (single_dash && dashes[1] == '\0' &&
        std::strchr(short_options_, *scan_.next_short) != nullptr) {
      return -1;
    }
    complain("unrecognized option '%s%s'", dashes, scan_.next_short);
  }
  const char* after_name = scan_.next_short + length;
  scan_.next_short = nullptr;
  ++index_;
  if (ambiguous || found == nullptr) {
    option_ = 0;
    return '?';
  }
  if (const int error = take_long_argument(*found, after_name, dashes); error != 0) return error;
  if (index != nullptr) *index = static_cast<int>(found - options);
  if (found->flag == nullptr) return found->val;
  *found->flag = found->val;
  return 0;
}

int OptionScanner::take_long_argument(const option& found, const char* after_name,
                                      const char* dashes) {
  if (*after_name == '=') {
    if (found.has_arg == no_argument) {
      complain("option '%s%s' doesn't allow an argument", dashes, found.name);
      option_ = found.val;
      return '?';
    }
    argument_ = const_cast<char*>(after_name + 1);
  } else if (found.has_arg == required_argument) {
    if (index_ >= argc_) {
      complain("option '%s%s' requires an argument", dashes, found.name);
      option_ = found.val;
      return missing_argument();
    }
    argument_ = argv_[index_++];
  }
  return 0;
}

}  // namespace launch
