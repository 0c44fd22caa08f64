# Time of an Allreduce of all of Hopper's cores by workers, as in figure 12 of PPT's paper.
# Variables: output_file, ranks, small, large (files of "bytes workers seconds", 1 KB and 4 KB).
set terminal svg size 720,480 dynamic enhanced font "sans-serif,14" background "white"
set output output_file
set title sprintf("MPI\\_Allreduce of %s ranks, 24 to a node", ranks)
set xlabel "workers"
set ylabel "time on this host (s)"
set logscale xy 2
set xrange [0.8:*]
set yrange [*:*]
set xtics nomirror
set ytics nomirror
set grid xtics ytics lc rgb "#e4e4e4"
set key top right
# What it would be if it fell as workers are added.
stats small using 3 every ::0::0 nooutput
first = STATS_max
plot first / x with lines dt 3 lw 1.5 lc rgb "#777777" title "1 KB, if each worker added as much", \
  small using 2:3 with linespoints lw 2 pt 7 lc rgb "#1f77b4" title "1 KB", \
  large using 2:3 with linespoints lw 2 pt 5 lc rgb "#b4161b" title "4 KB"
