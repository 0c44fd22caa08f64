// The file of links: rank 0 reads it and gives each leader the lines of its Gemini.
//
// In S0 rank 0 broadcasts the whole file and each leader looks for its own lines. That is 14 MB for
// each of Cielo's Geminis, and where one process has thousands of ranks as many copies of it. So
// rank 0 reads line by line and sends a leader its lines, and nothing else, while it reads: as
// soon as lines of another Gemini follow, of which a leader may get several parts. Rank 0 keeps one
// part and one line.
#define _GNU_SOURCE  // getline
#include "apps/gemini_monitor/gm_share.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/gemini_monitor/gemini_monitor.h"

enum { root = 0, part_tag = 1 };

/// Some lines of one Gemini.
typedef struct {
  int count;
  int last;  // no more will come
  gm_line lines[CASTOR_INTERCONNECT_GEMINI_LINES];
} part;

/// What rank 0 has to do with.
typedef struct {
  MPI_Comm leaders;
  const gm_addressee* addressees;  // by place
  int geminis;
  const gm_place* place;  // rank 0's own
  gm_tile_map* map;
  const char* file;
  gm_failure* failure;
  const gm_addressee* to;  // of the part; null: of no rank of the job
  int from[3];             // the Gemini of the last line
  part part;
} sharing;

const char* gm_map_file(void) {
  const char* const name = getenv("GEMINI_INTERCONNECT");
  return name != NULL && name[0] != 0 ? name : "interconnect.txt";
}

static int by_place(const void* left, const void* right) {
  const gm_addressee *a = left, *b = right;
  for (int i = 0; i < 3; ++i) {
    if (a->at[i] != b->at[i]) return a->at[i] < b->at[i] ? -1 : 1;
  }
  return 0;
}

static void add_part(gm_tile_map* map, const gm_place* place, const part* lines, const char* file,
                     gm_failure* failure) {
  for (int i = 0; i < lines->count && failure->code == GEMINI_SUCCESS; ++i) {
    gm_add_line(map, place, &lines->lines[i], file, failure);
  }
}

static size_t bytes_of(const part* lines) {
  return offsetof(part, lines) + (size_t)lines->count * sizeof lines->lines[0];
}

static void send_part(sharing* share, int rank, const part* lines) {
  if (rank == root) {
    add_part(share->map, share->place, lines, share->file, share->failure);
    return;
  }
  gm_mpi_worked(share->failure, "MPI_Send",
                MPI_Send(lines, (int)bytes_of(lines), MPI_BYTE, rank, part_tag, share->leaders));
}

static void flush(sharing* share) {
  if (share->to != NULL && share->part.count > 0) {
    send_part(share, share->to->rank, &share->part);
  }
  share->part.count = 0;
}

static void take_line(sharing* share, const castor_interconnect_line_t* line) {
  const castor_interconnect_tile_t *from = &line->from, *to = &line->to;
  const gm_addressee wanted = {{from->x, from->y, from->z}, 0};
  if (share->part.count == CASTOR_INTERCONNECT_GEMINI_LINES ||
      memcmp(share->from, wanted.at, sizeof share->from) != 0) {
    flush(share);
    memcpy(share->from, wanted.at, sizeof share->from);
    share->to =
        bsearch(&wanted, share->addressees, (size_t)share->geminis, sizeof wanted, by_place);
  }
  if (share->to == NULL) return;
  const gm_line own = {.tile = from->tile_row * gm_tile_columns + from->tile_column,
                       .direction = (int)line->direction,
                       .type = (int)line->type,
                       .to = {to->x, to->y, to->z}};
  share->part.lines[share->part.count++] = own;
}

static void read_lines(sharing* share, FILE* file) {
  char* text = NULL;
  size_t room = 0;
  char error[256];
  castor_interconnect_line_t line;
  for (long number = 1; share->failure->code == GEMINI_SUCCESS; ++number) {
    errno = 0;
    const ssize_t length = getline(&text, &room, file);
    if (length < 0) {
      if (!feof(file)) {
        gm_fail(share->failure, GEMINI_ERR_MAP, "%s: %s", share->file, strerror(errno));
      }
      break;
    }
    if (strspn(text, " \t\r\n") == (size_t)length) continue;
    const size_t end = text[length - 1] == '\n' ? (size_t)length - 1 : (size_t)length;
    if (castor_interconnect_parse_line(text, end, &line, error, sizeof error) != 0) {
      gm_fail(share->failure, GEMINI_ERR_MAP, "%s:%ld: %s", share->file, number, error);
    } else {
      take_line(share, &line);
    }
  }
  free(text);
  flush(share);
}

/// Rank 0's part.
static void send_lines(sharing* share) {
  FILE* const file = fopen(share->file, "re");
  if (file == NULL) {
    gm_fail(share->failure, GEMINI_ERR_MAP, "%s: %s (GEMINI_INTERCONNECT names the file of links)",
            share->file, strerror(errno));
  } else {
    read_lines(share, file);
    fclose(file);
  }
  const part end = {.count = 0, .last = 1};
  for (int rank = 0; rank < share->geminis; ++rank) send_part(share, rank, &end);
}

/// The other leaders'.
static void receive_lines(MPI_Comm leaders, const gm_place* place, gm_tile_map* map,
                          gm_failure* failure) {
  part lines = {.last = 0};
  while (lines.last == 0) {
    if (!gm_mpi_worked(
            failure, "MPI_Recv",
            MPI_Recv(&lines, sizeof lines, MPI_BYTE, root, part_tag, leaders, MPI_STATUS_IGNORE))) {
      return;
    }
    add_part(map, place, &lines, gm_map_file(), failure);
  }
}

int gm_share_map(MPI_Comm leaders, const gm_place* place, gm_addressee* addressees,
                 gm_tile_map* map, gm_failure* failure) {
  int rank = 0, geminis = 0;
  MPI_Comm_rank(leaders, &rank);
  MPI_Comm_size(leaders, &geminis);
  const gm_addressee own = {{place->at[0], place->at[1], place->at[2]}, rank};
  const int result =
      MPI_Gather(&own, sizeof own, MPI_BYTE, addressees, sizeof own, MPI_BYTE, root, leaders);
  if (!gm_mpi_worked(failure, "MPI_Gather", result)) return failure->code;
  gm_begin_tiles(map);
  if (rank == root) {
    qsort(addressees, (size_t)geminis, sizeof *addressees, by_place);
    sharing share = {.leaders = leaders,
                     .addressees = addressees,
                     .geminis = geminis,
                     .place = place,
                     .map = map,
                     .file = gm_map_file(),
                     .failure = failure,
                     .from = {-1, -1, -1}};
    send_lines(&share);
  } else {
    receive_lines(leaders, place, map, failure);
  }
  // Where rank 0 has failed, its answer is the one that all ranks get.
  return gm_complete_tiles(map, place, gm_map_file(), failure);
}
