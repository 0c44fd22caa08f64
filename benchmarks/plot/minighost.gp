# MiniGhost's mappings: above, what a Gemini injects into the network in a step (bars: mean; error bars: the
# Gemini that injects most); below, the time of a step.
# Variables: output_file, folder (files No-Remap, Remap, Random of: ranks mean max step efficiency).
set terminal svg size 1000,900 dynamic enhanced font "sans-serif,14" background "white"
set output output_file
set style data histograms
set style histogram errorbars gap 1 lw 1.5
set style fill solid border lc rgb "#222222"
set boxwidth 0.9
set bars 0.6
set grid ytics lc rgb "#dddddd"
set key outside top right horizontal samplen 2
set xtics scale 0
set yrange [0:*]
random = folder . "/Random"
noremap = folder . "/No-Remap"
remap = folder . "/Remap"

set multiplot layout 2, 1
set title "Bytes that a Gemini injects in a step: mean, and the largest (as in S0's figure 6)"
set ylabel "MB"
plot random using 2:2:3:xtic(1) lc rgb "#d62728" title "Random", \
  noremap using 2:2:3 lc rgb "#555555" title "No-Remap", \
  remap using 2:2:3 lc rgb "#1f77b4" title "Remap"

set title "Time of a step (weak scaling)"
set ylabel "ms"
set xlabel "ranks"
set style data linespoints
set offsets 0.5, 0.5, 0, 0
plot random using 0:4:xtic(1) lw 2 pt 7 ps 0.6 lc rgb "#d62728" title "Random", \
  noremap using 0:4 lw 2 pt 7 ps 0.6 lc rgb "#555555" title "No-Remap", \
  remap using 0:4 lw 2 pt 7 ps 0.6 lc rgb "#1f77b4" title "Remap"
unset multiplot
