// Result rows on standard output: an aligned table, CSV or JSON from one list of columns.
#pragma once

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/// How rows are printed.
typedef enum { format_table = 0, format_csv = 1, format_json = 2 } row_format;

static inline row_format chosen_format(int csv, int json) {
  return csv ? format_csv : json ? format_json : format_table;
}

/// One column: its name in CSV and JSON, its title and width in the table, and the decimals of
/// its numbers (-1: text; a column without a title is not in the table).
typedef struct {
  const char* name;
  const char* title;
  int width;
  int decimals;
} column;

/// One cell: `text` in a text column, else `number`.
typedef struct {
  const char* text;
  double number;
} cell;

/// Rows of one program, printed as they come.
typedef struct {
  row_format format;
  int header;  ///< print the header line (table and CSV)
  const char* program;
  const column* columns;
  int count;
  long rows;
} row_printer;

static inline void print_rows_begin(row_printer* printer) {
  printer->rows = 0;
  if (printer->format == format_json) {
    printf("{\"program\": \"%s\", \"results\": [", printer->program);
    return;
  }
  if (!printer->header) return;
  int first = 1;
  for (int i = 0; i < printer->count; ++i) {
    const column* each = &printer->columns[i];
    if (printer->format == format_csv) {
      printf("%s%s", first ? "" : ",", each->name);
    } else if (each->title != NULL) {
      printf("%-*s ", each->width - 1, each->title);
    } else {
      continue;
    }
    first = 0;
  }
  printf("\n");
  fflush(stdout);
}

static inline void print_cell(const row_printer* printer, int i, cell value, int first) {
  const column* each = &printer->columns[i];
  char text[64];
  if (each->decimals < 0) {
    snprintf(text, sizeof text, "%s", value.text);
  } else {
    snprintf(text, sizeof text, "%.*f", each->decimals, value.number);
    if (strncmp(text, "-0", 2) == 0 && strspn(text, "-0.") == strlen(text)) {
      memmove(text, text + 1, strlen(text));  // a zero has no sign
    }
  }
  const char* quote = each->decimals < 0 ? "\"" : "";
  switch (printer->format) {
    case format_csv:
      printf("%s%s", first ? "" : ",", text);
      break;
    case format_json:
      printf("%s\"%s\": %s%s%s", first ? "" : ", ", each->name, quote, text, quote);
      break;
    case format_table:
      if (each->title != NULL) printf("%-*s ", each->width - 1, text);
      break;
  }
}

/// Prints one row; `cells` has as many entries as there are columns.
static inline void print_row(row_printer* printer, const cell* cells) {
  if (printer->format == format_json) printf("%s\n  {", printer->rows > 0 ? "," : "");
  for (int i = 0; i < printer->count; ++i) print_cell(printer, i, cells[i], i == 0);
  printf(printer->format == format_json ? "}" : "\n");
  ++printer->rows;
  fflush(stdout);
}

static inline void print_rows_end(row_printer* printer) {
  if (printer->format == format_json) printf("%s]}\n", printer->rows > 0 ? "\n" : "");
  fflush(stdout);
}

/// A whole table: `rows` rows of `count` cells, one row after the other.
static inline void print_table(const char* program, row_format format, const column* columns,
                               int count, const cell* cells, int rows) {
  row_printer printer = {format, 1, program, columns, count, 0};
  print_rows_begin(&printer);
  for (int row = 0; row < rows; ++row) print_row(&printer, cells + (long)row * count);
  print_rows_end(&printer);
}

/// A progress line on standard error, if that is a terminal; it overwrites itself.
static inline void show_progress(const char* what, long bytes) {
  if (isatty(STDERR_FILENO)) fprintf(stderr, "\r%-20s %10ld bytes\033[K", what, bytes);
}
static inline void clear_progress(void) {
  if (isatty(STDERR_FILENO)) fprintf(stderr, "\r\033[K");
}
