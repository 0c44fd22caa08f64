/* Reads what `rtr --interconnect` prints: which router tile is joined to which. Link with -lgpcd.
 */
/*
 * A line of the file:
 *
 *   c0-0c0s0g0l00[(0,0,0)] Z+ -> c0-0c0s1g0l32[(0,0,1)] LinkType: backplane
 *
 * Words are apart by blanks or tabs, any number of them; there may be some before a bracket (as in
 * S0's figure 2), too. A tile's letter l may be the digit 1, as print has it. Lines of blanks only
 * are skipped; a line may end with CR LF.
 *
 * An error is one line of text, without its end, in `error` (of `room` bytes; it is cut to fit).
 */
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A tile of a Gemini. */
typedef struct castor_interconnect_tile {
  int column, row, cage, slot, gemini; /* c<column>-<row>c<cage>s<slot>g<gemini> */
  int tile_row, tile_column;           /* l<tile_row><tile_column>: 0 to 5, 0 to 7 */
  int x, y, z;                         /* the Gemini's coordinates */
} castor_interconnect_tile_t;

typedef enum castor_interconnect_direction {
  CASTOR_INTERCONNECT_X_PLUS,
  CASTOR_INTERCONNECT_X_MINUS,
  CASTOR_INTERCONNECT_Y_PLUS,
  CASTOR_INTERCONNECT_Y_MINUS,
  CASTOR_INTERCONNECT_Z_PLUS,
  CASTOR_INTERCONNECT_Z_MINUS
} castor_interconnect_direction_t;

typedef enum castor_interconnect_type {
  CASTOR_INTERCONNECT_MEZZANINE, /* within a blade */
  CASTOR_INTERCONNECT_BACKPLANE, /* within a cage */
  CASTOR_INTERCONNECT_CABLE
} castor_interconnect_type_t;

typedef struct castor_interconnect_line {
  castor_interconnect_tile_t from, to;
  castor_interconnect_direction_t direction; /* of the link from `from` */
  castor_interconnect_type_t type;
  int cable_class;      /* 11 of cable11x; 0: no cable */
  char cable_dimension; /* 'x', 'y' or 'z'; 0: no cable */
} castor_interconnect_line_t;

/* Most lines that one Gemini has: 48 tiles less 8 of its hosts. */
#define CASTOR_INTERCONNECT_GEMINI_LINES 40

/* "X+" to "Z-"; null if there is no such direction. */
const char* castor_interconnect_direction_name(int direction);

/* Reads one line, without its end. Returns 0, or -1 and says in `error` what is wrong. */
int castor_interconnect_parse_line(const char* text, size_t length,
                                   castor_interconnect_line_t* line, char* error, size_t room);

/* What is called for each line, with the caller's `data`. Not 0: no more lines. */
typedef int (*castor_interconnect_visit_t)(const castor_interconnect_line_t* line, void* data);

/* Reads a file's text, `length` bytes at `text`. Returns 0, what `visit` returned if that was not
   0, or -1 and in `error` "name:17: what is wrong"; `name` is what to call the file. */
int castor_interconnect_read(const char* text, size_t length, const char* name,
                             castor_interconnect_visit_t visit, void* data, char* error,
                             size_t room);

/* The same of the file `name`. -1 and "name: why" if it cannot be read, too. */
int castor_interconnect_read_file(const char* name, castor_interconnect_visit_t visit, void* data,
                                  char* error, size_t room);

/* The lines that begin at the Gemini at (x, y, z), in the file's order, to `lines`, which has room
   for CASTOR_INTERCONNECT_GEMINI_LINES. Other lines are passed over, so that each Gemini can look
   for its own in the file of a large system (cielo: some milliseconds). Returns how many there are,
   or -1 with an error as castor_interconnect_read() has it: no line, a tile that comes twice, or a
   line that cannot be read. */
int castor_interconnect_of_gemini(const char* text, size_t length, const char* name, int x, int y,
                                  int z, castor_interconnect_line_t* lines, char* error,
                                  size_t room);

#ifdef __cplusplus
} /* extern "C" */
#endif
