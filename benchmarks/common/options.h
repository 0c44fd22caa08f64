// Command-line options of the benchmark programs: one table gives parsing, errors and usage.
//
// No state outside the caller's variables (unlike getopt's), so that it also serves programs of
// which all ranks share one copy.
#pragma once

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// What an option's value is and where it goes.
typedef enum {
  option_flag,    ///< no value; *(int *)target = number
  option_count,   ///< integer of at least `number`; *(long *)target
  option_bytes,   ///< integer with an optional K, M or G (powers of 1024); *(long *)target
  option_factor,  ///< decimal number of at least `number`; *(double *)target
  option_word,    ///< one of the words in `words` ("a|b|c"); *(int *)target = its position
  option_text,    ///< any text; *(const char **)target
  option_list,    ///< list of sizes ("8,1K,4M"); *(size_list *)target
  option_box      ///< three integers of at least `number` ("4x4x2"); (long *)target
} option_kind;

enum { max_sizes = 64 };

/// Message sizes in bytes, in the order in which they were given.
typedef struct {
  int count;
  long bytes[max_sizes];
} size_list;

typedef struct {
  char letter;       ///< '\0' = none
  const char* name;  ///< long name, without the dashes
  option_kind kind;
  void* target;
  long number;        ///< smallest value allowed; of a flag, the value it sets
  const char* words;  ///< option_word: the choices; else the value's name in the usage, or NULL
  const char* help;
} option;

enum { option_error_size = 160 };

/// Reads "64", "4K", "1M" or "2G"; false if `text` is anything else, negative or above 1 TiB.
static inline int parse_bytes(const char* text, size_t length, long* bytes) {
  const long limit = 1L << 40;
  long value = 0;
  size_t i = 0;
  for (; i < length && isdigit((unsigned char)text[i]); ++i) {
    value = value * 10 + (text[i] - '0');
    if (value > limit) return 0;
  }
  if (i == 0) return 0;
  if (i < length) {
    const char* suffixes = "KMG";
    const char* suffix = strchr(suffixes, toupper((unsigned char)text[i]));
    if (suffix == NULL || *suffix == '\0' || i + 1 != length) return 0;
    value <<= 10 * (suffix - suffixes + 1);
  }
  if (value > limit) return 0;
  *bytes = value;
  return 1;
}

/// Reads a list of sizes; false if one of them does not parse or there are too many.
static inline int parse_sizes(const char* text, size_list* sizes) {
  sizes->count = 0;
  for (;;) {
    const size_t length = strcspn(text, ",");
    if (sizes->count == max_sizes) return 0;
    if (!parse_bytes(text, length, &sizes->bytes[sizes->count])) return 0;
    ++sizes->count;
    if (text[length] == '\0') return 1;
    text += length + 1;
  }
}

/// Reads "4x4x2"; false if it is anything else, or a number is below `least` or above a million.
static inline int parse_box(const char* text, long least, long* box) {
  for (int i = 0; i < 3; ++i) {
    char* end = NULL;
    if (!isdigit((unsigned char)*text)) return 0;
    box[i] = strtol(text, &end, 10);
    if (box[i] < least || box[i] > 1000000 || *end != "xx"[i]) return 0;
    text = end + 1;
  }
  return 1;
}

/// Appends one size; ignored when the list is full.
static inline void add_size(size_list* sizes, long bytes) {
  if (sizes->count < max_sizes) sizes->bytes[sizes->count++] = bytes;
}

/// Powers of two from `first` to `last` bytes.
static inline void add_powers(size_list* sizes, long first, long last) {
  for (long bytes = first; bytes <= last; bytes *= 2) add_size(sizes, bytes);
}

static inline long largest_size(const size_list* sizes) {
  long largest = 0;
  for (int i = 0; i < sizes->count; ++i) {
    if (sizes->bytes[i] > largest) largest = sizes->bytes[i];
  }
  return largest;
}

/// Position of `word` among the choices "a|b|c", or -1.
static inline int parse_word(const char* word, const char* choices) {
  const size_t length = strlen(word);
  for (int position = 0;; ++position) {
    const size_t choice = strcspn(choices, "|");
    if (choice == length && strncmp(word, choices, length) == 0) return position;
    if (choices[choice] == '\0') return -1;
    choices += choice + 1;
  }
}

/// Stores one option's value; false if it does not parse or is out of range.
static inline int store_option(const option* found, const char* value) {
  char* end = NULL;
  errno = 0;
  switch (found->kind) {
    case option_flag:
      *(int*)found->target = (int)found->number;
      return 1;
    case option_count: {
      const long number = strtol(value, &end, 10);
      if (end == value || *end != '\0' || errno != 0 || number < found->number) return 0;
      *(long*)found->target = number;
      return 1;
    }
    case option_bytes: {
      long number = 0;
      if (!parse_bytes(value, strlen(value), &number) || number < found->number) return 0;
      *(long*)found->target = number;
      return 1;
    }
    case option_factor: {
      const double number = strtod(value, &end);
      if (end == value || *end != '\0' || errno != 0) return 0;
      if (!(number >= (double)found->number && number <= 1e6)) return 0;
      *(double*)found->target = number;
      return 1;
    }
    case option_word: {
      const int position = parse_word(value, found->words);
      if (position < 0) return 0;
      *(int*)found->target = position;
      return 1;
    }
    case option_text:
      *(const char**)found->target = value;
      return 1;
    case option_list:
      return parse_sizes(value, (size_list*)found->target);
    case option_box: {
      long box[3];
      if (!parse_box(value, found->number, box)) return 0;
      memcpy(found->target, box, sizeof box);
      return 1;
    }
  }
  return 0;
}

/// What a value must look like, for the error line.
static inline void describe_allowed(const option* found, char* text, size_t size) {
  switch (found->kind) {
    case option_flag:
      snprintf(text, size, "nothing");
      break;
    case option_count:
      snprintf(text, size, "an integer, at least %ld", found->number);
      break;
    case option_bytes:
      snprintf(text, size, "bytes, as 64, 4K or 1M");
      break;
    case option_factor:
      snprintf(text, size, "a number from %ld to 1000000", found->number);
      break;
    case option_word:
      snprintf(text, size, "%s", found->words);
      break;
    case option_text:
      snprintf(text, size, "a text");
      break;
    case option_list:
      snprintf(text, size, "sizes, as 8,1K,4M");
      break;
    case option_box:
      snprintf(text, size, "three integers of %ld to 1000000, as 4x4x2", found->number);
      break;
  }
}

/// The option that `argument` names, or NULL; `*value` is what follows a '=' or a letter.
static inline const option* find_option(const option* options, int count, const char* argument,
                                        const char** value) {
  *value = NULL;
  const int is_long = argument[0] == '-' && argument[1] == '-';
  const char* name = argument + (is_long ? 2 : 1);
  const size_t length = strcspn(name, "=");
  for (int i = 0; i < count; ++i) {
    const option* each = &options[i];
    if (is_long) {
      if (strlen(each->name) != length || strncmp(each->name, name, length) != 0) continue;
      if (name[length] == '=') *value = name + length + 1;
      return each;
    }
    if (each->letter == '\0' || each->letter != argument[1]) continue;
    if (argument[2] != '\0') *value = argument + 2;
    return each;
  }
  return NULL;
}

/// Reads argv into the options' targets. Returns false with one line in `error` (at least
/// option_error_size bytes) at the first mistake.
static inline int parse_options(const option* options, int count, int argc, char** argv,
                                char* error) {
  for (int i = 1; i < argc; ++i) {
    const char* value = NULL;
    const option* found = NULL;
    if (argv[i][0] == '-' && argv[i][1] != '\0') {
      found = find_option(options, count, argv[i], &value);
    }
    if (found == NULL) {
      snprintf(error, option_error_size, "unknown argument '%.40s' (--help lists the options)",
               argv[i]);
      return 0;
    }
    if (found->kind == option_flag ? value != NULL : value == NULL && i + 1 >= argc) {
      snprintf(error, option_error_size, "option --%s %s", found->name,
               found->kind == option_flag ? "takes no value" : "needs a value");
      return 0;
    }
    if (found->kind != option_flag && value == NULL) value = argv[++i];
    if (!store_option(found, value)) {
      char allowed[64];
      describe_allowed(found, allowed, sizeof allowed);
      snprintf(error, option_error_size, "option --%s: '%.40s' is not %s", found->name, value,
               allowed);
      return 0;
    }
  }
  return 1;
}

/// Prints one line per option.
static inline void print_options(FILE* out, const option* options, int count) {
  for (int i = 0; i < count; ++i) {
    const option* each = &options[i];
    char left[64];
    const char* value = each->kind == option_flag ? "" : each->words != NULL ? each->words : "N";
    snprintf(left, sizeof left, "--%s %s", each->name, value);
    fprintf(out, "  %c%c %-30s %s\n", each->letter != '\0' ? '-' : ' ',
            each->letter != '\0' ? each->letter : ' ', left, each->help);
  }
}
