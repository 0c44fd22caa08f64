#!/usr/bin/env bash
# The installed tree as its users meet it: put somewhere, moved elsewhere, compiled against, run.
# usage: installed.sh STEP BUILD_TREE SOURCE_TREE WORK_FOLDER
set -euo pipefail
step=$1 build=$2 source=$3 work=$4
tree=$work/moved/castor
programs=$source/tests/install/programs
all=(mpi armci dmapp ugni pmi companions monitor)
beside_ugni=(-lalpslli -lalpsutil -lrca -lgpcd -ludreg -lpmi -lugni)
strict_c=(-std=c99 -pedantic-errors -Wall -Wextra -Werror)
strict_fortran=(-Wall -Werror)
strict_cxx=(-std=c++11 -pedantic-errors -Wall -Wextra -Werror)
# Nothing but the installed tree may lead to it.
unset LD_LIBRARY_PATH PKG_CONFIG_PATH CMAKE_PREFIX_PATH
export PATH=$tree/bin:$PATH

fail() { echo "wrong: $*"; exit 1; }

# run_all FOLDER [CLOCK ...]: every program that was built, in virtual time or on all these clocks.
run_all() {
  local folder=$1 program clock said
  shift
  for program in "$folder"/*; do
    [ -x "$program" ] && [ -f "$program" ] || continue
    for clock in "${@:-virtual}"; do
      said=$(timeout -s KILL 60 aprun --clock "$clock" -q -n 4 -N 2 "$program") ||
        fail "$program on the $clock clock ends with $?: $said"
      [ "$said" = right ] || fail "$program on the $clock clock says: $said"
      echo "$(basename "$program"), $clock: $said"
    done
  done
}

fresh() { rm -rf "$1" && mkdir -p "$1"; }

case $step in
  tree)
    fresh "$work"
    cmake --install "$build" --prefix "$work/first" >/dev/null
    mkdir -p "$work/moved"
    mv "$work/first" "$tree"
    for file in "$tree"/bin/* "$tree"/lib/*.so*; do
      [ -f "$file" ] || fail "$file is missing"
      # Its own place first or, for what is the system's, the system's.
      paths=$({ readelf -d "$file" 2>/dev/null || true; } | sed -n 's/.*(R.*PATH).*\[\(.*\)\]/\1/p')
      for path in ${paths//:/ }; do
        case $path in
          '$ORIGIN/../lib' | /usr/lib*) ;;
          *) fail "$file looks in $path" ;;
        esac
      done
      libraries=$(ldd "$file" 2>/dev/null | sed "s#$tree/##" || true)
      [[ $libraries != *"not found"* && $libraries != *"$build"* ]] ||
        fail "libraries of $file: $libraries"
    done
    for place in "$build" "$source" "$work/first"; do  # as a whole path: a tree may lie in /castor
      ! grep -rIlE -e "(^|[^[:alnum:]_./}-]|-[IL])$place" "$tree" || fail "these speak of $place"
    done
    for name in libmpi.so.12 libmpich.so.12 libmpifort.so.12 libmpichfort.so.12 libarmci.so.1 \
      libdmapp.so.1 libugni.so.0 libpmi.so.0 libalpslli.so.0 libalpsutil.so.0 \
      librca.so.0 libgpcd.so.0 libudreg.so.0; do
      [[ $(readelf -d "$tree/lib/$name") == *"soname: [$name]"* ]] || fail "$name has another name"
      [ -e "$tree/lib/${name%.so*}.so" ] || fail "${name%.so*}.so is missing"
    done
    if [ -e "$tree/lib/libcastor_papi.so" ]; then
      names=$(nm -Dg --defined-only "$tree/lib/libcastor_papi.so")
      [ -z "$names" ] || fail "libcastor_papi exports $names"
    fi
    # A library exports its interface and nothing else.
    for each in 'ugni GNI_|gni_|UGNI_0$' 'pmi PMI2?_' 'dmapp dmapp_' 'alpslli alps_' 'alpsutil alps_' \
      'rca rca_|castor_rca_' 'gpcd gpcd_|castor_interconnect_' 'udreg UDREG_'; do
      names=$(nm -Dg --defined-only "$tree/lib/lib${each% *}.so" | awk '{ print $NF }' | sed 's/@.*//')
      [ -n "$names" ] && ! grep -vE "^(${each#* })" <<<"$names" || fail "lib${each% *} exports these"
    done
    names=$(nm -g --defined-only "$tree/lib/libgm.a" | awk 'NF == 3 { print $3 }')
    [ -n "$names" ] && ! grep -vE '^(gemini|gm)_' <<<"$names" || fail "libgm.a defines these"
    # Programs that came with it, and a reserved name that Debian's MPICH programs ask for.
    aprun -q -n 2 -N 1 "$tree/bin/mpi_latency" --help >/dev/null
    bash "$source/tests/launch/pages.sh" completion "$tree"
    bash "$source/tests/launch/pages.sh" manual "$tree" || [ $? -eq 77 ] || fail "manual pages"
    for launcher in "mpiexec -n" "mpiexec -np" "mpirun -np"; do
      # shellcheck disable=SC2086
      [[ $($launcher 4 "$tree/bin/transpose" --size 64) == *yes* ]] || fail "transpose by $launcher"
    done
    ;;
  headers)
    cd "$tree/include"
    find . -name '*.h' ! -name mpif.h | while read -r header; do
      echo "#include \"$header\"" | gcc -x c "${strict_c[@]}" -I. -fsyntax-only -
      echo "#include \"$header\"" | g++ -x c++ "${strict_cxx[@]}" -I. -fsyntax-only -
    done
    for header in armci.h message.h parmci.h; do
      echo "#include <$header>" | gcc -x c "${strict_c[@]}" -DCASTOR_ARMCI_CLASSIC -I. -fsyntax-only -
      echo "#include <$header>" | g++ -x c++ "${strict_cxx[@]}" -DCASTOR_ARMCI_CLASSIC -I. \
        -fsyntax-only -
    done
    # Fortran's, in both forms.
    for form in fixed free; do
      printf "      include 'mpif.h'\n      end\n" |
        gfortran -x f95 "-f$form-form" -Wall -Werror -I. -fsyntax-only -
    done
    for header in alps/alps.h alps/alps_toolAssist.h alps/libalpslli.h alps/libalpsutil.h armci.h \
      castor_interconnect.h corespec_cpus.h corespec_work.h dmapp.h gemini_monitor.h gni_pub.h gpcd_lib.h \
      message.h mpi.h mpi.mod mpif.h parmci.h pmi.h pmi2.h pmi_cray.h pmi_cray_ext.h rca_lib.h rs_id.h rs_meshcoord.h udreg_pub.h; do
      [ -f "$header" ] || fail "$header is missing"
    done
    ;;
  mpicc)
    fresh "$work/mpicc"
    for name in "${all[@]}"; do
      libraries=("-l$name")
      [ "$name" != ugni ] && [ "$name" != dmapp ] || libraries+=(-lpmi)
      [ "$name" != companions ] || libraries=("${beside_ugni[@]}")
      [ "$name" != monitor ] || libraries=(-lgm -lgpcd -lrca)
      mpicc "${strict_c[@]}" "$programs/${name}_program.c" -o "$work/mpicc/${name}_c" \
        "${libraries[@]}"
      mpicxx "${strict_cxx[@]}" -x c++ "$programs/${name}_program.c" -x none \
        -o "$work/mpicc/${name}_cxx" "${libraries[@]}"
    done
    mpicc -castor-tls "$programs/mpi_program.c" -o "$work/mpicc/thread_local"
    "$tree/libexec/castor/craype/cc" "${strict_c[@]}" "$programs/mpi_program.c" -o "$work/mpicc/craype"
    mpifort "${strict_fortran[@]}" "$programs/mpi_program.f90" -o "$work/mpicc/mpi_f90"
    mpif90 -castor-tls "$programs/mpi_program.f90" -o "$work/mpicc/mpi_f90_thread_local"
    # In steps, and linked with a library made by the wrapper.
    mkdir "$work/mpicc/library"
    (cd "$work/mpicc/library" && mpif77 "${strict_fortran[@]}" -c "$programs/mpi_program.f" &&
      mpif77 -shared -fPIC "$programs/sum.f" -o libsum.so &&
      mpif77 mpi_program.o -L. -lsum "-Wl,-rpath,$PWD" -o ../mpi_f)
    run_all "$work/mpicc" virtual live
    # Without a launcher, too.
    [ "$("$work/mpicc/armci_c")" = right ] || fail "armci_program alone"
    ;;
  pkg_config)
    fresh "$work/pkg_config"
    # The build tree's modules find the same.
    for module in mpich armci cray-dmapp cray-ugni cray-pmi gemini-monitor mpifort; do
      read -r -a flags < <(PKG_CONFIG_PATH=$build/lib/pkgconfig pkg-config --cflags "$module")
      [ "$module" != cray-ugni ] || ugni_flags=("${flags[@]}")
      for flag in "${flags[@]}"; do
        case $flag in -I*) [ -e "${flag#-I}/mpi.h" ] || fail "the build tree's $module: no headers in ${flag#-I}" ;; esac
      done
    done
    gcc "${strict_c[@]}" -fsyntax-only "${ugni_flags[@]}" "$programs/ugni_program.c"
    export PKG_CONFIG_PATH=$tree/lib/pkgconfig
    declare -A modules=([mpi]=mpich [armci]=armci [dmapp]="cray-dmapp cray-pmi" [ugni]="cray-ugni cray-pmi"
                        [pmi]=cray-pmi [monitor]=gemini-monitor
                        [companions]="cray-gni-headers cray-alpslli cray-alpsutil cray-rca cray-gpcd cray-udreg cray-ugni cray-pmi")
    for name in "${all[@]}"; do
      # shellcheck disable=SC2086
      read -r -a flags < <(pkg-config --cflags --libs ${modules[$name]})
      gcc "${strict_c[@]}" "$programs/${name}_program.c" -o "$work/pkg_config/${name}_c" \
        "${flags[@]}"
      g++ "${strict_cxx[@]}" -x c++ "$programs/${name}_program.c" -x none \
        -o "$work/pkg_config/${name}_cxx" "${flags[@]}"
    done
    if [ -e "$tree/lib/libcastor_papi.so" ]; then  # it was built with libpapi-dev
      read -r -a flags < <(pkg-config --cflags --libs castor-papi mpich)
      gcc "${strict_c[@]}" "$programs/papi_program.c" -o "$work/pkg_config/papi_c" "${flags[@]}"
    fi
    for module in cray-gni-headers cray-ugni; do
      [[ " $(pkg-config --cflags "$module") " == *" -D__CRAYXE "* ]] || fail "$module defines no __CRAYXE"
    done
    [ -z "$(pkg-config --libs cray-gni-headers)" ] || fail "cray-gni-headers links a library"
    # As static libraries' users ask (libfabric's configure does).
    pkg-config --static --libs cray-ugni cray-alpslli >/dev/null || fail "pkg-config --static"
    read -r -a flags < <(pkg-config --cflags --libs mpifort)
    gfortran "$programs/mpi_program.f90" -o "$work/pkg_config/mpi_f90" "${flags[@]}"
    run_all "$work/pkg_config"
    ;;
  folders)
    # Other names of folders: what looks for them knows; a name that cannot be is refused at once.
    fresh "$work/folders"
    cmake -G Ninja -S "$source" -B "$work/folders" -DCMAKE_INSTALL_LIBDIR=lib64 -DCMAKE_INSTALL_BINDIR=programs \
      -DCMAKE_INSTALL_INCLUDEDIR=include/castor >/dev/null
    grep -q '^library=$prefix/lib64$' "$work/folders/programs/mpicc" || fail "mpicc"
    grep -q -e '-I$prefix/include/castor"' "$work/folders/programs/mpicc" || fail "mpicc"
    grep -q '^libdir=${prefix}/lib64$' "$work/folders/lib64/pkgconfig/mpich.pc" || fail "mpich.pc"
    grep -q '^includedir=${prefix}/include/castor$' "$work/folders/lib64/pkgconfig/mpich.pc" || fail "mpich.pc"
    grep -q '_DIR}/programs/' "$work/folders/castor-config.cmake" || fail "castor-config.cmake"
    commands=$(<"$work/folders/compile_commands.json")
    [[ $commands == *CASTOR_LIBRARY_FOLDER=*lib64* ]] || fail "the loader looks elsewhere"
    ! grep -q 'ORIGIN/../lib"' "$work/folders/build.ninja" || fail "programs look elsewhere"
    grep -q 'ORIGIN/../lib64' "$work/folders/build.ninja" || fail "programs look nowhere"
    for folder in LIBDIR BINDIR; do
      said=$(cmake -S "$source" -B "$work/folders" "-DCMAKE_INSTALL_$folder=a/b" 2>&1) &&
        fail "CMAKE_INSTALL_$folder a/b is taken"
      [[ $said == *"CMAKE_INSTALL_$folder 'a/b': must be"* ]] || fail "$folder: $said"
    done
    ;;
  find_castor | find_Castor | find_mpi)
    fresh "$work/$step"
    where=("-D${step#find_}_ROOT=$tree")
    [ "$step" != find_mpi ] || where=(-DMPI_HOME="$tree")
    cmake -G Ninja -S "$source/tests/install/consumer" -B "$work/$step" -DPROGRAMS="$programs" \
      -DTHROUGH="${step#find_}" "${where[@]}"
    cmake --build "$work/$step"
    if [ "$step" = find_mpi ]; then  # its own tests start programs with what it has found
      (cd "$work/$step" && ctest --output-on-failure) || fail "MPIEXEC_EXECUTABLE"
    fi
    run_all "$work/$step/bin"
    for program in "$work/$step"/bin/*; do
      libraries=$(ldd "$program")
      [[ $libraries != *"not found"* ]] || fail "libraries of $program: $libraries"
      [[ $libraries == *"$tree/lib/"* ]] || fail "$program is linked with other libraries: $libraries"
    done
    ;;
  *) fail "no step $step" ;;
esac
