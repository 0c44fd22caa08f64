// S3D's miniature: differences, time steps and checks of its field.
#include "apps/s3d_field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double wind[field_dimensions] = {1.0, 0.5, 0.25};
static const double courant = 0.4;
static const double pi = 3.14159265358979323846;

/// A side of the box with its ghosts.
static long padded(const field_box* box) { return box->points + 2L * field_ghosts; }

/// Where point (i, j, k) is among values with ghosts.
static long at(const field_box* box, long i, long j, long k) {
  const long side = padded(box);
  return ((k + field_ghosts) * side + j + field_ghosts) * side + i + field_ghosts;
}

long face_size(const field_box* box) { return (long)field_ghosts * box->points * box->points; }

/// One wave in each dimension, carried along for `time`.
static double exact(const field_box* box, const long* point, double time) {
  double value = 1;
  for (int d = 0; d < field_dimensions; ++d) {
    const double where = ((double)(box->origin[d] + point[d]) * box->spacing[d]) - wind[d] * time;
    value *= sin(2 * pi * where + d);
  }
  return 2 + value;
}

static void fill(field_box* box) {
  const int n = box->points;
  long point[field_dimensions];
  double* value = box->now;
  for (point[2] = 0; point[2] < n; ++point[2]) {
    for (point[1] = 0; point[1] < n; ++point[1]) {
      for (point[0] = 0; point[0] < n; ++point[0]) {
        *value = exact(box, point, 0);
        box->stage[at(box, point[0], point[1], point[2])] = *value++;
      }
    }
  }
}

int open_field(field_box* box, int points, const int* place, const int* grid) {
  memset(box, 0, sizeof *box);
  box->points = points;
  double fastest = 0;
  for (int d = 0; d < field_dimensions; ++d) {
    box->origin[d] = place[d] * points;
    box->extent[d] = grid[d] * points;
    box->spacing[d] = 1.0 / box->extent[d];
    fastest += wind[d] / box->spacing[d];
  }
  box->step = courant / fastest;
  const long volume = (long)points * points * points;
  const long side = padded(box);
  box->now = malloc((size_t)volume * sizeof *box->now);
  box->next = malloc((size_t)volume * sizeof *box->next);
  box->stage = calloc((size_t)(side * side * side), sizeof *box->stage);
  int ok = box->now != NULL && box->next != NULL && box->stage != NULL;
  for (int face = 0; face < field_faces; ++face) {
    box->face[face] = malloc((size_t)face_size(box) * sizeof *box->face[face]);
    ok = ok && box->face[face] != NULL;
  }
  if (ok) fill(box);
  return ok;
}

void close_field(field_box* box) {
  free(box->now);
  free(box->next);
  free(box->stage);
  for (int face = 0; face < field_faces; ++face) free(box->face[face]);
}

/// Copies the planes first, first + 1, ... of dimension d to or from a face.
static void copy_planes(field_box* box, int d, long first, double* face, int to_face) {
  const long n = box->points;
  for (long plane = 0; plane < field_ghosts; ++plane) {
    for (long v = 0; v < n; ++v) {
      for (long u = 0; u < n; ++u) {
        const long p = first + plane;
        double* value = &box->stage[d == 0   ? at(box, p, u, v)
                                    : d == 1 ? at(box, u, p, v)
                                             : at(box, u, v, p)];
        if (to_face) {
          *face++ = *value;
        } else {
          *value = *face++;
        }
      }
    }
  }
}

void pack_faces(field_box* box) {
  for (int face = 0; face < field_faces; ++face) {
    const long first = face % 2 == 0 ? 0 : box->points - field_ghosts;
    copy_planes(box, face / 2, first, box->face[face], 1);
  }
}

void unpack_face(field_box* box, int face, const double* values) {
  const long first = face % 2 == 0 ? -field_ghosts : box->points;
  copy_planes(box, face / 2, first, (double*)values, 0);
}

/// The first derivative, to eighth order.
static double derivative(const double* value, long stride, double spacing) {
  return (4.0 / 5 * (value[stride] - value[-stride]) -
          1.0 / 5 * (value[2 * stride] - value[-2 * stride]) +
          4.0 / 105 * (value[3 * stride] - value[-3 * stride]) -
          1.0 / 280 * (value[4 * stride] - value[-4 * stride])) /
         spacing;
}

void advance_slab(field_box* box, int stage, int part, int parts) {
  const long n = box->points;
  const long side = padded(box);
  const double step = box->step / (field_stages - stage);
  for (long k = n * part / parts; k < n * (part + 1) / parts; ++k) {
    for (long j = 0; j < n; ++j) {
      const double* value = &box->stage[at(box, 0, j, k)];
      const long row = (k * n + j) * n;
      for (long i = 0; i < n; ++i, ++value) {
        const double change = wind[0] * derivative(value, 1, box->spacing[0]) +
                              wind[1] * derivative(value, side, box->spacing[1]) +
                              wind[2] * derivative(value, side * side, box->spacing[2]);
        box->next[row + i] = box->now[row + i] - step * change;
      }
    }
  }
}

void end_stage(field_box* box, int stage) {
  const long n = box->points;
  for (long k = 0; k < n; ++k) {
    for (long j = 0; j < n; ++j) {
      memcpy(&box->stage[at(box, 0, j, k)], &box->next[(k * n + j) * n],
             (size_t)n * sizeof(double));
    }
  }
  if (stage != field_stages - 1) return;
  double* const before = box->now;
  box->now = box->next;
  box->next = before;
}

double field_error(const field_box* box, long steps) {
  const int n = box->points;
  const double time = (double)steps * box->step;
  const double* value = box->now;
  double most = 0;
  long point[field_dimensions];
  for (point[2] = 0; point[2] < n; ++point[2]) {
    for (point[1] = 0; point[1] < n; ++point[1]) {
      for (point[0] = 0; point[0] < n; ++point[0]) {
        const double off = fabs(*value++ - exact(box, point, time));
        if (!(off <= most)) most = off;  // also what is not a number
      }
    }
  }
  return most;
}

uint64_t field_checksum(const field_box* box) {
  const long n = box->points;
  uint64_t sum = 0;
  for (long k = 0; k < n; ++k) {
    for (long j = 0; j < n; ++j) {
      for (long i = 0; i < n; ++i) {
        const uint64_t place = ((uint64_t)(box->origin[2] + k) * (uint64_t)box->extent[1] +
                                (uint64_t)(box->origin[1] + j)) *
                                   (uint64_t)box->extent[0] +
                               (uint64_t)(box->origin[0] + i);
        uint64_t bits = 0;
        memcpy(&bits, &box->now[(k * n + j) * n + i], sizeof bits);
        bits ^= place * 0x9e3779b97f4a7c15u;
        bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
        sum += bits ^ (bits >> 27);
      }
    }
  }
  return sum;
}
