// Matrices of Cannon's multiplication: their elements by place, blocks, and the product by another
// way.
//
// Elements are whole numbers from -8 to 7, drawn by a seed. So every sum of products is exact,
// whatever its order, and a block can be compared bit by bit.
#pragma once

#include <stdint.h>

/// The factors.
typedef enum { matrix_a = 0, matrix_b = 1 } matrix_name;

/// Part of a matrix: `rows` x `columns` elements, row by row, from (row, column) on.
typedef struct {
  long row, column, rows, columns;
} matrix_part;

/// Element (row, column) of a factor.
static inline double matrix_element(matrix_name name, uint64_t seed, long row, long column) {
  uint64_t x = seed * 2 + (uint64_t)name;
  x = (x ^ (x >> 31)) * 0x9e3779b97f4a7c15u + (uint64_t)row;
  x = (x ^ (x >> 29)) * 0xbf58476d1ce4e5b9u + (uint64_t)column;
  x = (x ^ (x >> 32)) * 0x94d049bb133111ebu;
  return (double)(int)(x >> 60) - 8.0;
}

static inline void fill_part(matrix_name name, uint64_t seed, const matrix_part* part,
                             double* elements) {
  for (long i = 0; i < part->rows; ++i) {
    for (long j = 0; j < part->columns; ++j) {
      elements[i * part->columns + j] = matrix_element(name, seed, part->row + i, part->column + j);
    }
  }
}

/// c += a b of square blocks of `side`.
static inline void add_product(long side, const double* a, const double* b, double* c) {
  for (long i = 0; i < side; ++i) {
    for (long k = 0; k < side; ++k) {
      const double factor = a[i * side + k];
      for (long j = 0; j < side; ++j) c[i * side + j] += factor * b[k * side + j];
    }
  }
}

/// How many elements of `c`, this part of the product of two matrices of side `whole`, are wrong.
/// Serial: each element is the sum over a whole row and column, one product after the other.
/// `row` has room for `whole` + part->columns elements, `columns` for `whole` x part->columns.
static inline long wrong_elements(uint64_t seed, long whole, const matrix_part* part,
                                  const double* c, double* row, double* columns) {
  const matrix_part right = {0, part->column, whole, part->columns};
  double* const sums = row + whole;
  long wrong = 0;
  fill_part(matrix_b, seed, &right, columns);
  for (long i = 0; i < part->rows; ++i) {
    const matrix_part left = {part->row + i, 0, 1, whole};
    fill_part(matrix_a, seed, &left, row);
    for (long j = 0; j < part->columns; ++j) sums[j] = 0;
    for (long k = 0; k < whole; ++k) {
      for (long j = 0; j < part->columns; ++j) sums[j] += row[k] * columns[k * part->columns + j];
    }
    for (long j = 0; j < part->columns; ++j) wrong += sums[j] != c[i * part->columns + j];
  }
  return wrong;
}
