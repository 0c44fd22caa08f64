# S0's figure 5: bytes on the wire per MPI message, by channel, and the efficiency.
# Variables: output_file, data_file (msgsize, injected VC0 and VC1, received VC0 and VC1, all, %).
set terminal svg size 1400,560 dynamic enhanced font "sans-serif,13" background "white"
set output output_file
set multiplot layout 1,2
set logscale x 2
set logscale y 10
set format x "%.0f"
set format y "10^%T"
set xtics rotate by -40
set xrange [1:4194304]
set yrange [1:1e8]
set grid xtics ytics lc rgb "#dddddd"
set key left top spacing 1.2
set xlabel "MPI message (bytes)"
set ylabel "bytes per message"

set title "a: injected by the source"
plot data_file using 1:($2 > 0 ? $2 : NaN) with linespoints lw 2 pt 7 ps 0.6 lc rgb "#1f6fb4" title "VC0: requests", \
     data_file using 1:($3 > 0 ? $3 : NaN) with linespoints lw 2 pt 5 ps 0.6 lc rgb "#e07b1a" title "VC1: responses"

set title "b: injected and received by the source"
set ytics nomirror
set y2range [0:100]
set y2tics
set y2label "efficiency (%)"
plot data_file using 1:($2 + $4 > 0 ? $2 + $4 : NaN) with linespoints lw 2 pt 7 ps 0.6 lc rgb "#1f6fb4" title "VC0: requests", \
     data_file using 1:($3 + $5 > 0 ? $3 + $5 : NaN) with linespoints lw 2 pt 5 ps 0.6 lc rgb "#e07b1a" title "VC1: responses", \
     data_file using 1:7 axes x1y2 with linespoints lw 2 pt 9 ps 0.6 lc rgb "#7b2d8b" title "efficiency"
unset multiplot
