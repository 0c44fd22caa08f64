# S2's figures 6 and 7: nodes by delay; below, MPI_Allreduce by nodes, of 8 bytes and of 64 KB.
# Variables: output_file, and gnuplot's plot arguments: histogram, small, large.
set terminal svg size 1000,900 dynamic noenhanced font "sans-serif,14" background "white"
set output output_file
set grid xtics ytics lc rgb "#dddddd"
set key left top spacing 1.3
set yrange [0:*]

set multiplot
set size 1, 0.5
set origin 0, 0.5
set title "Nodes by delay of 4 bytes from nid 0, bins of 0.25 us; upright: published least and largest"
set xlabel "us"
set ylabel "nodes"
set xrange [1:5.25]
set key right top
set arrow 1 from 1.27, graph 0 to 1.27, graph 1 nohead lw 1.5 dt 2 lc rgb "#222222"
set arrow 2 from 4.07, graph 0 to 4.07, graph 1 nohead lw 1.5 dt 2 lc rgb "#222222"
eval "plot " . histogram
unset arrow
set key left top

set size 0.5, 0.5
set logscale x 2
set xrange [2:8192]
set xtics 4
set xlabel "nodes, one rank each"
set ylabel "us"
set origin 0, 0
set title "MPI_Allreduce of 8 B, PPT's tree"
eval "plot " . small
set origin 0.5, 0
set title "64 KB"
eval "plot " . large
unset multiplot
