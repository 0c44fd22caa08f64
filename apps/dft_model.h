// The miniature SCF problem: sizes, and formulas that every rank knows, with a known answer.
//
// Two spin densities D_s (152 x 152) are to satisfy D_s = core_s + mix_s * overlap * F(D), element
// by element, where F_ij = coupling_ij * sum of weight_kl * (D_0 + D_1)_kl over the patches (k, l)
// that are not screened out. The answer is chosen first and the core made to fit it. Since F
// depends on the densities through one number, the field, every iteration can be foretold.
//
// The sizes are such that at 256 ranks a rank's calls and bytes are on average those that the
// thesis prints for the NWChem module (its table 3-1).
#pragma once

enum {
  basis = 152,
  fock_edge = 16,   ///< blocks of the Fock matrix in each dimension: accumulated one by one
  patch_rows = 13,  ///< patches of a density, fetched one by one
  patch_columns = 7,
  slabs = 21,  ///< a task is one Fock block and one slab of patches
  slab_patches = 4,
  tasks = fock_edge * fock_edge * slabs,
  spins = 2,
  points = 1792,   ///< rows of the quadrature grid's arrays
  amplitudes = 6,  ///< arrays that are read row by row ...
  amplitude_columns = 313,
  grid_densities = 2,  ///< ... for rows of these
  grid_density_columns = 333,
  potential_columns = 125,
  panels = 13,  ///< what the diagonalizer has its matrices redistributed to
  panel_columns = 733
};

/// A rectangle of a density.
typedef struct {
  int row, column, rows, columns;
} block;

/// The problem's numbers that follow from its formulas.
typedef struct {
  double mix[spins];
  double contraction;  ///< each iteration's error is this times the last one's
  double field;        ///< of the answer
  block patches[slabs * slab_patches];
} dft_model;

/// Part `i` of `parts` along the basis.
static inline int basis_part(int parts, int i) { return basis * i / parts; }

static inline block basis_block(int rows, int columns, int i, int j) {
  const int row = basis_part(rows, i);
  const int column = basis_part(columns, j);
  const block result = {row, column, basis_part(rows, i + 1) - row,
                        basis_part(columns, j + 1) - column};
  return result;
}

static inline double weight(int k, int l) {
  return (1.0 + 0.25 * (k * 7 % 11) / 11.0) * (1.0 - 0.25 * (l * 5 % 13) / 13.0);
}

static inline double coupling(int i, int j) { return 0.5 + 1.0 / (1.0 + (i > j ? i - j : j - i)); }

static inline double overlap(int i, int j) {
  const int apart = i > j ? i - j : j - i;
  return 1.0 / (1.0 + 0.1 * apart * apart);
}

/// The answer.
static inline double converged_density(int spin, int i, int j) {
  return (spin == 0 ? 1.0 : 0.75) * overlap(i, j) * (1.0 + 0.01 * ((i * 3 + j * 3) % 17));
}

static inline double core(const dft_model* model, int spin, int i, int j) {
  return converged_density(spin, i, j) -
         model->mix[spin] * overlap(i, j) * coupling(i, j) * model->field;
}

/// The density that follows a Fock matrix of this field.
static inline double density_after(const dft_model* model, int spin, int i, int j, double field) {
  return core(model, spin, i, j) + model->mix[spin] * overlap(i, j) * coupling(i, j) * field;
}

/// The field of the core alone, from which iterations start.
static inline double first_field(const dft_model* model) {
  return model->field * (1.0 - model->contraction);
}

static inline double next_field(const dft_model* model, double field) {
  return first_field(model) + model->contraction * field;
}

static inline double amplitude(int which, long point, long column) {
  return 1.0 + (double)((point * 31 + column * 7 + which * 3) % 64) / 64.0;
}

/// What a row of the grid comes to.
static inline double point_value(long point) {
  double sum = 0;
  for (int which = 0; which < amplitudes; ++which) {
    for (long i = 0; i < amplitude_columns; ++i) {
      sum += amplitude(which, point, i) * (double)(1 + which);
    }
  }
  return sum;
}

static inline double panel_element(int writer, int panel, int iteration, int column) {
  return (double)writer * 4096.0 + (double)column + (double)(iteration * panels + panel) / 1024.0;
}

void make_model(dft_model* model);
