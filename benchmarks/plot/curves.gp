# Curves by message size on a logarithmic axis.
# Variables: output_file, quantity (the y axis), curves (gnuplot's plot arguments).
set terminal svg size 1000,640 dynamic noenhanced font "sans-serif,14" background "white"
set output output_file
set xlabel "message size (bytes)"
set ylabel quantity
set logscale x 2
set format x "%.0f"
set xtics rotate by -30
set yrange [0:*]
set grid xtics ytics lc rgb "#dddddd"
set key left top spacing 1.3
eval "plot " . curves
