// A miniature of the NWChem DFT module's traffic: dynamically balanced Fock build, quadrature,
// redistribution, density update; the self-consistent answer is known and checked.
#include <armci.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>

#include "apps/dft_model.h"
#include "apps/dft_statistics.h"
#include "apps/ga_layer.h"
#include "benchmarks/common/armci_settings.h"
#include "benchmarks/common/program.h"
#include "corespec_work.h"

CORESPEC_MODELLED_PROGRAM;

static const char name[] = "dft_scf";

typedef struct {
  int csv, json, help, statistics, blocking;
  long iterations;
  double task_us, point_us, update_us;
} settings;

/// A rank's arrays: sixteen that last, and those of one iteration.
typedef struct {
  ga_world world;
  dft_model model;
  ga_array density[spins], core[spins], overlap, last_fock;
  ga_array amplitude[amplitudes], grid_density[grid_densities], potential, energies;
  ga_array fock, counter, panel[panels];
  double field;    ///< that the present densities make
  double change;   ///< of the caller's block of the Fock matrix in the last iteration
  double* buffer;  ///< for the largest thing fetched or stored
  long mistakes;
} scf;

static ga_patch patch_of(const block* from) {
  const ga_patch result = {from->row, from->column, from->rows, from->columns};
  return result;
}

static ga_patch own_of(const scf* all, const ga_array* array) {
  return ga_distribution(array, all->world.rank);
}

static void expect(scf* all, double value, double expected) {
  if (!(fabs(value - expected) <= 1e-9 * (1.0 + fabs(expected)))) ++all->mistakes;
}

static void open_buffer(scf* all) {
  const ga_patch own = own_of(all, &all->density[0]);
  long most = panel_columns;
  if (own.rows * own.columns > most) most = own.rows * own.columns;
  if (all->world.ranks > most) most = all->world.ranks;
  for (int p = 0; p < slabs * slab_patches; ++p) {
    const block* patch = &all->model.patches[p];
    if (patch->rows * patch->columns > most) most = patch->rows * patch->columns;
  }
  // Room for three: what is read, what is made of it, and what it was.
  all->buffer = (double*)ARMCI_Malloc_local(3 * most * (long)sizeof(double));
  if (all->buffer == NULL) ARMCI_Error("dft_scf: no memory", 1);
}

static void create_lasting(scf* all) {
  ga_world* world = &all->world;
  for (int spin = 0; spin < spins; ++spin) {
    ga_create(world, &all->density[spin], ga_double, basis, basis, 0);
    ga_create(world, &all->core[spin], ga_double, basis, basis, 0);
  }
  ga_create(world, &all->overlap, ga_double, basis, basis, 0);
  ga_create(world, &all->last_fock, ga_double, basis, basis, 0);
  for (int i = 0; i < amplitudes; ++i) {
    ga_create(world, &all->amplitude[i], ga_double, points, amplitude_columns, world->ranks);
  }
  for (int i = 0; i < grid_densities; ++i) {
    ga_create(world, &all->grid_density[i], ga_double, points, grid_density_columns, world->ranks);
  }
  ga_create(world, &all->potential, ga_double, points, potential_columns, world->ranks);
  ga_create(world, &all->energies, ga_double, world->ranks, 1, world->ranks);
}

static void destroy_lasting(scf* all) {
  ga_destroy(&all->energies);
  ga_destroy(&all->potential);
  for (int i = 0; i < grid_densities; ++i) ga_destroy(&all->grid_density[i]);
  for (int i = 0; i < amplitudes; ++i) ga_destroy(&all->amplitude[i]);
  ga_destroy(&all->last_fock);
  ga_destroy(&all->overlap);
  for (int spin = 0; spin < spins; ++spin) {
    ga_destroy(&all->core[spin]);
    ga_destroy(&all->density[spin]);
  }
}

/// Every rank fills its own blocks: the core, which is also the first guess, and the grid.
static void fill_lasting(scf* all) {
  const ga_patch own = own_of(all, &all->overlap);
  double* overlaps = (double*)ga_access(&all->overlap);
  for (int spin = 0; spin < spins; ++spin) {
    double* cores = (double*)ga_access(&all->core[spin]);
    double* densities = (double*)ga_access(&all->density[spin]);
    for (long at = 0; at < own.rows * own.columns; ++at) {
      const int i = (int)(own.row + at / own.columns);
      const int j = (int)(own.column + at % own.columns);
      overlaps[at] = overlap(i, j);
      cores[at] = core(&all->model, spin, i, j);
      densities[at] = cores[at];
    }
  }
  for (int which = 0; which < amplitudes; ++which) {
    const ga_patch rows = own_of(all, &all->amplitude[which]);
    double* values = (double*)ga_access(&all->amplitude[which]);
    for (long at = 0; at < rows.rows * rows.columns; ++at) {
      values[at] = amplitude(which, rows.row + at / rows.columns, at % rows.columns);
    }
  }
  ga_sync(&all->world);
}

static void create_passing(scf* all) {
  ga_world* world = &all->world;
  ga_create(world, &all->fock, ga_double, basis, basis, 0);
  ga_create(world, &all->counter, ga_int, 1, 1, 1);
  for (int i = 0; i < panels; ++i) {
    ga_create(world, &all->panel[i], ga_double, world->ranks, panel_columns, world->ranks);
  }
}

static void destroy_passing(scf* all) {
  for (int i = panels - 1; i >= 0; --i) ga_destroy(&all->panel[i]);
  ga_destroy(&all->counter);
  ga_destroy(&all->fock);
}

/// One task: a slab's density patches of both spins, and what they add to a Fock block.
static void fock_task(scf* all, int task, const settings* use) {
  const block target =
      basis_block(fock_edge, fock_edge, task / slabs / fock_edge, task / slabs % fock_edge);
  double sum = 0;
  for (int p = 0; p < slab_patches; ++p) {
    const block* patch = &all->model.patches[task % slabs * slab_patches + p];
    for (int spin = 0; spin < spins; ++spin) {
      ga_get(&all->density[spin], patch_of(patch), all->buffer, patch->columns);
      for (int at = 0; at < patch->rows * patch->columns; ++at) {
        sum += all->buffer[at] *
               weight(patch->row + at / patch->columns, patch->column + at % patch->columns);
      }
    }
  }
  corespec_work_ns(use->task_us * 1e3);
  for (int at = 0; at < target.rows * target.columns; ++at) {
    all->buffer[at] =
        coupling(target.row + at / target.columns, target.column + at % target.columns);
  }
  ga_acc(&all->fock, patch_of(&target), all->buffer, target.columns, sum);
}

/// The Fock matrix: a rank that is free takes the next task.
static void build_fock(scf* all, const settings* use) {
  for (;;) {
    const int task = ga_read_inc(&all->counter, 0, 0, 1);
    if (task >= tasks) break;
    fock_task(all, task, use);
  }
  ga_sync(&all->world);
}

/// The quadrature grid: every rank works on the rows that it holds.
static void integrate_grid(scf* all, long iteration, const settings* use) {
  const ga_patch own = own_of(all, &all->potential);
  for (long row = own.row; row < own.row + own.rows; ++row) {
    double value = 0;
    for (int which = 0; which < amplitudes; ++which) {
      const ga_patch patch = {row, 0, 1, amplitude_columns};
      ga_get(&all->amplitude[which], patch, all->buffer, amplitude_columns);
      for (int i = 0; i < amplitude_columns; ++i) value += all->buffer[i] * (1 + which);
    }
    corespec_work_ns(use->point_us * 1e3);
    for (int i = 0; i < grid_density_columns; ++i) all->buffer[i] = value + i;
    for (int which = 0; which < grid_densities; ++which) {
      const ga_patch patch = {row, 0, 1, grid_density_columns};
      ga_put(&all->grid_density[which], patch, all->buffer, grid_density_columns);
    }
    const ga_patch patch = {row, 0, 1, potential_columns};
    ga_acc(&all->potential, patch, all->buffer, potential_columns, (double)(iteration + 1));
  }
}

static int panel_shift(const scf* all, int panel) { return 1 + panel * all->world.ranks / panels; }

/// Every rank's share goes to ranks near and far, and is looked at there.
static void redistribute(scf* all, long iteration) {
  const int ranks = all->world.ranks;
  const int rank = all->world.rank;
  for (int panel = 0; panel < panels; ++panel) {
    for (int i = 0; i < panel_columns; ++i) {
      all->buffer[i] = panel_element(rank, panel, (int)iteration, i);
    }
    const ga_patch patch = {(rank + panel_shift(all, panel)) % ranks, 0, 1, panel_columns};
    ga_put(&all->panel[panel], patch, all->buffer, panel_columns);
  }
  ga_sync(&all->world);
  for (int panel = 0; panel < panels; ++panel) {
    const int writer = (rank + ranks - panel_shift(all, panel) % ranks) % ranks;
    const double* row = (const double*)ga_access(&all->panel[panel]);
    for (int i = 0; i < panel_columns; ++i) {
      if (row[i] != panel_element(writer, panel, (int)iteration, i)) ++all->mistakes;
    }
  }
}

/// A row of the Fock matrix, and the caller's own block, are as foretold.
static void check_fock(scf* all, long iteration, const double* own_fock) {
  const ga_patch own = own_of(all, &all->fock);
  for (long at = 0; at < own.rows * own.columns; ++at) {
    const int i = (int)(own.row + at / own.columns);
    const int j = (int)(own.column + at % own.columns);
    expect(all, own_fock[at], coupling(i, j) * all->field);
  }
  const int row = (int)((all->world.rank * 37L + iteration) % basis);
  const ga_patch patch = {row, 0, 1, basis};
  double* values = all->buffer + own.rows * own.columns;
  ga_get(&all->fock, patch, values, basis);
  for (int j = 0; j < basis; ++j) expect(all, values[j], coupling(row, j) * all->field);
}

/// New densities from the caller's block of the Fock matrix; its share of the energy.
static double update_densities(scf* all, long iteration, const settings* use) {
  const ga_patch own = own_of(all, &all->fock);
  const long count = own.rows * own.columns;
  double* fock = all->buffer;
  double energy = 0;
  ga_get(&all->fock, own, fock, own.columns);
  check_fock(all, iteration, fock);
  corespec_work_ns(use->update_us * 1e3);
  const double* overlaps = (const double*)ga_access(&all->overlap);
  for (int spin = 0; spin < spins; ++spin) {
    const double* cores = (const double*)ga_access(&all->core[spin]);
    double* density = all->buffer + count;
    ga_get(&all->density[spin], own, density, own.columns);
    for (long at = 0; at < count; ++at) {
      energy += 0.5 * fock[at] * density[at];
      density[at] = cores[at] + all->model.mix[spin] * overlaps[at] * fock[at];
    }
    ga_put(&all->density[spin], own, density, own.columns);
  }
  double* last_fock = (double*)ga_access(&all->last_fock);
  all->change = 0;
  for (long at = 0; at < count; ++at) {
    all->change = fmax(all->change, fabs(fock[at] - last_fock[at]));
    last_fock[at] = fock[at];
  }
  all->field = next_field(&all->model, all->field);
  return energy;
}

static double iterate(scf* all, long iteration, const settings* use) {
  create_passing(all);
  build_fock(all, use);
  integrate_grid(all, iteration, use);
  redistribute(all, iteration);
  const double energy = update_densities(all, iteration, use);
  ga_sync(&all->world);
  destroy_passing(all);
  return energy;
}

/// The sum of all ranks' shares, from the array of energies.
static double gather_energy(scf* all, double energy) {
  const int ranks = all->world.ranks;
  const ga_patch own = {all->world.rank, 0, 1, 1};
  const ga_patch every = {0, 0, ranks, 1};
  ga_put(&all->energies, own, &energy, 1);
  ga_sync(&all->world);
  ga_get(&all->energies, every, all->buffer, 1);
  double sum = 0;
  for (int i = 0; i < ranks; ++i) sum += all->buffer[i];
  return sum;
}

/// The grid's arrays after `iterations` rounds, and the last energy.
static void check_end(scf* all, long iterations, double energy) {
  const ga_patch own = own_of(all, &all->potential);
  const double* potential = (const double*)ga_access(&all->potential);
  const double rounds = (double)iterations * (double)(iterations + 1) / 2.0;
  for (long i = 0; i < own.rows; ++i) {
    const double value = point_value(own.row + i);
    for (int j = 0; j < potential_columns; ++j) {
      expect(all, potential[i * potential_columns + j], rounds * (value + j));
    }
    for (int which = 0; which < grid_densities; ++which) {
      const double* density = (const double*)ga_access(&all->grid_density[which]);
      for (int j = 0; j < grid_density_columns; ++j) {
        expect(all, density[i * grid_density_columns + j], value + j);
      }
    }
  }
  double earlier[2] = {0, first_field(&all->model)};  // of the iterations before: -2, -1
  for (long i = 1; i < iterations; ++i) {
    earlier[0] = earlier[1];
    earlier[1] = next_field(&all->model, earlier[1]);
  }
  double expected = 0;
  for (int i = 0; i < basis; ++i) {
    for (int j = 0; j < basis; ++j) {
      const double density = density_after(&all->model, 0, i, j, earlier[0]) +
                             density_after(&all->model, 1, i, j, earlier[0]);
      expected += 0.5 * coupling(i, j) * earlier[1] * density;
    }
  }
  expect(all, energy, expected);
}

/// How far the caller's densities are from the answer, relative to it.
static double own_residual(const scf* all) {
  const ga_patch own = own_of(all, &all->density[0]);
  double largest = 0;
  for (int spin = 0; spin < spins; ++spin) {
    const double* density = (const double*)ga_access(&all->density[spin]);
    for (long at = 0; at < own.rows * own.columns; ++at) {
      const double answer = converged_density(spin, (int)(own.row + at / own.columns),
                                              (int)(own.column + at % own.columns));
      const double error = fabs(density[at] / answer - 1.0);
      if (!(error <= largest)) largest = error;
    }
  }
  return largest;
}

/// Every rank's seconds and correctness, on rank 0.
static int report(const settings* use, const scf* all, double time, double energy,
                  double own_error) {
  double residual = 0;
  double change = 0;
  long mistakes = 0;
  MPI_Allreduce(&all->change, &change, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(&own_error, &residual, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  MPI_Allreduce(&all->mistakes, &mistakes, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
  // The core alone is off by a number of the order of 1; every round takes that down.
  const double allowed = 10 * pow(all->model.contraction, (double)use->iterations) + 1e-12;
  const int ok = mistakes == 0 && residual <= allowed;
  const armci_settings armci = read_armci_settings();
  const double clients = (double)armci_domain_nprocs(ARMCI_DOMAIN_SMP, -1) * all->world.ranks;
  const dft_result result = {all->world.ranks,
                             use->iterations,
                             time,
                             energy,
                             change,
                             residual,
                             clients * (double)(armci.buffers * armci.buffer_size) / 1048576.0,
                             ok};
  const dft_format format = {chosen_format(use->csv, use->json), use->statistics};
  report_dft(name, &format, &result, &all->world.counters);
  return ok;
}

static int compute(const settings* use) {
  scf all;
  memset(&all, 0, sizeof all);
  ga_start(&all.world);
  all.world.blocking = use->blocking;
  make_model(&all.model);
  all.field = first_field(&all.model);
  create_lasting(&all);
  open_buffer(&all);
  fill_lasting(&all);
  const double start = MPI_Wtime();
  double energy = 0;
  for (long i = 0; i < use->iterations; ++i) energy = iterate(&all, i, use);
  energy = gather_energy(&all, energy);
  ga_sync(&all.world);
  const double time = MPI_Wtime() - start;
  check_end(&all, use->iterations, energy);
  ARMCI_Free_local(all.buffer);
  const double residual = own_residual(&all);
  destroy_lasting(&all);
  return report(use, &all, time, energy, residual) ? exit_ok : exit_failed;
}

static int run(int argc, char** argv) {
  settings use = {.iterations = 16, .task_us = 3000, .point_us = 2000, .update_us = 5000};
  const option options[] = {
      {'i', "iterations", option_count, &use.iterations, 1, NULL, "SCF iterations (16)"},
      {'\0', "task-us", option_factor, &use.task_us, 0, "F", "computing of a Fock task, us (3000)"},
      {'\0', "point-us", option_factor, &use.point_us, 0, "F",
       "computing of a row of the grid, us (2000)"},
      {'\0', "update-us", option_factor, &use.update_us, 0, "F",
       "computing of a density update, us (5000)"},
      {'\0', "blocking", option_flag, &use.blocking, 1, NULL,
       "each part of a patch is waited for before the next"},
      {'\0', "statistics", option_flag, &use.statistics, 1, NULL,
       "CSV and JSON: calls and bytes beside the thesis's, instead of the result"},
      FORMAT_OPTIONS(use),
      HELP_OPTION('h', use)};
  const int code = read_options(
      name, "A miniature DFT calculation over ARMCI; seconds, and what the arrays were asked for.",
      options, (int)(sizeof options / sizeof options[0]), &use.help, argc, argv);
  if (code != exit_done) return code;
  if (use.csv && use.json) return refuse(name, "--csv or --json, not both");
  if (use.iterations > 1000) return refuse(name, "--iterations: at most 1000");
  ARMCI_Init();
  const int result = compute(&use);
  ARMCI_Finalize();
  return result;
}

int main(int argc, char** argv) { return run_program(run, argc, argv); }
