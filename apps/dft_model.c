// The miniature SCF problem: which patches count, and the numbers that follow.
#include "apps/dft_model.h"

/// How far from the diagonal a patch's middle lies, in half basis functions.
static int distance(const block* patch) {
  const int apart = 2 * patch->row + patch->rows - 2 * patch->column - patch->columns;
  return apart < 0 ? -apart : apart;
}

/// All patches but those farthest from the diagonal, as integral screening leaves them, in order.
static void screen(dft_model* model) {
  enum { all = patch_rows * patch_columns, kept = slabs * slab_patches };
  block patches[all];
  int dropped[all] = {0};
  for (int i = 0; i < all; ++i) {
    patches[i] = basis_block(patch_rows, patch_columns, i / patch_columns, i % patch_columns);
  }
  for (int n = 0; n < all - kept; ++n) {
    int farthest = -1;
    for (int i = 0; i < all; ++i) {
      if (dropped[i]) continue;
      if (farthest < 0 || distance(&patches[i]) > distance(&patches[farthest])) farthest = i;
    }
    dropped[farthest] = 1;
  }
  int count = 0;
  for (int i = 0; i < all; ++i) {
    if (!dropped[i]) model->patches[count++] = patches[i];
  }
}

void make_model(dft_model* model) {
  screen(model);
  double gain = 0;
  model->field = 0;
  for (int p = 0; p < slabs * slab_patches; ++p) {
    const block* patch = &model->patches[p];
    for (int k = patch->row; k < patch->row + patch->rows; ++k) {
      for (int l = patch->column; l < patch->column + patch->columns; ++l) {
        gain += weight(k, l) * overlap(k, l) * coupling(k, l);
        model->field += weight(k, l) * (converged_density(0, k, l) + converged_density(1, k, l));
      }
    }
  }
  model->mix[0] = 0.15 / gain;
  model->mix[1] = 0.10 / gain;
  model->contraction = 0.25;
}
