# ARMCI in four panels. Variables: output_file, results (a folder with draw.sh's CSV files, / at its end).
set terminal svg size 1200,940 dynamic enhanced font "sans-serif,13" background "white"
set output output_file
set datafile separator ","
set grid xtics ytics lc rgb "#dddddd"
set multiplot layout 2,2 margins 0.06,0.98,0.07,0.95 spacing 0.08,0.14

size_tics = '("8" 8, "32" 32, "128" 128, "512" 512, "2K" 2048, "8K" 8192, "32K" 32768, "128K" 131072, "512K" 524288, "2M" 2097152)'
set logscale x 2
eval "set xtics ".size_tics
set xrange [6:700000]
set xlabel "bytes"
set key samplen 3 spacing 1.2 Left reverse

set title "Availability of a target of puts: the helper on its CPU, or on a reserved one"
set ylabel "percent"
# A polling helper takes its half whether there are requests or not: availability, which is by
# comparison, does not show it.
set yrange [0:110]
set key at graph 0.02,0.87 top left
target(wait, place) = results."target_".wait."_".place.".csv"
plot \
  target("polling", "reserved") using 4:10 skip 1 with linespoints lc rgb "#1f77b4" pt 7 ps 0.8 lw 4 title "polling, reserved CPU", \
  target("blocked", "reserved") using 4:10 skip 1 with linespoints lc rgb "#ff7f0e" pt 6 ps 0.8 lw 1.5 dt 2 title "blocked, reserved CPU", \
  target("blocked", "shared") using 4:10 skip 1 with linespoints lc rgb "#d62728" pt 5 ps 0.7 lw 2 title "blocked, shared CPU", \
  target("polling", "shared") using 4:11 skip 1 with linespoints lc rgb "#555555" pt 9 ps 0.8 lw 2 title "polling, shared CPU (its share of the CPU)"

set title "Latency of each way, polling helper on a CPU of its own"
set ylabel "microseconds"
set logscale y 10
set yrange [0.3:500]
set key at graph 0.02,0.97 top left
latency(name) = results."latency_".name.".csv"
plot \
  latency("rendezvous") using 3:6 skip 1 with linespoints lc rgb "#d62728" pt 5 ps 0.7 lw 2 title "put, rendezvous", \
  latency("eager") using 3:6 skip 1 with linespoints lc rgb "#1f77b4" pt 7 ps 0.7 lw 2 title "put, eager", \
  latency("direct_put") using 3:6 skip 1 with linespoints lc rgb "#2ca02c" pt 9 ps 0.7 lw 1.5 dt 2 title "put, direct", \
  latency("helper_get") using 3:6 skip 1 with linespoints lc rgb "#9467bd" pt 4 ps 0.8 lw 2 title "get, helper", \
  latency("eager_get") using 3:6 skip 1 with linespoints lc rgb "#ff7f0e" pt 6 ps 0.9 lw 3 title "get, eager", \
  latency("direct_get") using 3:6 skip 1 with linespoints lc rgb "#555555" pt 8 ps 0.7 lw 1.2 dt 2 title "get, direct"

set xtics (16, 32, 64, 128, 256)
set xrange [14:290]
set xlabel "ranks"
set title "Transposes of 6400 x 6400 ints, polling helper"
set ylabel "seconds"
unset logscale y
set yrange [0:65]
transpose(name) = results."transpose_".name.".csv"
plot \
  transpose("get_2K") using 1:2 with linespoints lc rgb "#1f77b4" pt 7 ps 0.8 lw 2 title "get, 2K", \
  transpose("get_2K") using 1:3 with linespoints lc rgb "#1f77b4" pt 6 ps 0.9 lw 1.5 dt 2 title "get, 2K, thesis", \
  transpose("put_2K") using 1:2 with linespoints lc rgb "#d62728" pt 9 ps 0.8 lw 2 dt 3 title "put, 2K", \
  transpose("put_2K") using 1:3 with linespoints lc rgb "#d62728" pt 8 ps 0.9 lw 1.5 dt 2 title "put, 2K, thesis", \
  transpose("put_10K") using 1:2 with linespoints lc rgb "#2ca02c" pt 5 ps 0.8 lw 2 title "put, 10K", \
  transpose("put_10K") using 1:3 with linespoints lc rgb "#2ca02c" pt 4 ps 0.9 lw 1.5 dt 2 title "put, 10K, thesis"

set title "Speed-up by eager puts (graph 4-3; 32 ranks: \"almost no speed up\")"
set ylabel "percent"
unset logscale x
set style data histograms
set style histogram clustered gap 1
set style fill solid 0.8 border -1
set xtics auto norotate
set xrange [-0.6:*]
set yrange [0:35]
plot \
  results."speed_up.csv" using 2:xtic(1) lc rgb "#1f77b4" title "ours", \
  "" using 3 lc rgb "#bbbbbb" title "thesis"
unset multiplot
