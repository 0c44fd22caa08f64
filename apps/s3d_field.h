// S3D's miniature: the field that is computed, in boxes with ghost planes.
#pragma once

#include <stdint.h>

enum { field_dimensions = 3, field_faces = 6, field_ghosts = 4, field_stages = 6 };

/// A rank's box of a periodic field that the wind carries along: dq/dt = -wind . grad q, by central
/// differences over nine points and a Runge-Kutta method of six stages, as in S3D. Every value is
/// computed by the same operations in the same order, however the field is cut into boxes.
typedef struct {
  int points;                    ///< along a side of the box
  int origin[field_dimensions];  ///< its first point in the whole field
  int extent[field_dimensions];  ///< points of the whole field
  double spacing[field_dimensions], step;
  double *now, *stage, *next;  ///< at the step's beginning; at the stage's, in ghosts; at its end
  double* face[field_faces];   ///< what the neighbours need: 2d is the lower side of dimension d
} field_box;

/// Doubles of a face.
long face_size(const field_box* box);
/// A box of the field at time 0. False if there is no memory.
int open_field(field_box* box, int points, const int* place, const int* grid);
void close_field(field_box* box);
/// The stage's own values to the faces.
void pack_faces(field_box* box);
/// What the neighbour on that side has sent, to the ghosts there.
void unpack_face(field_box* box, int face, const double* values);
/// The `part`th of `parts` slabs of the stage's result. Needs the ghosts.
void advance_slab(field_box* box, int stage, int part, int parts);
/// The result becomes the field.
void end_stage(field_box* box, int stage);
/// The largest difference from the exact field after `steps`.
double field_error(const field_box* box, long steps);
/// A sum over all points of what depends on every bit of the value and on its place: of all boxes
/// together the same for any cut.
uint64_t field_checksum(const field_box* box);
