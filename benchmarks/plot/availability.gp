# Availability by message size: no progression, phase one, phase two; sender and receiver.
# Variables: output_file, none, phase_one, phase_two (CSV files of smb_overhead).
set terminal svg size 1000,640 dynamic enhanced font "sans-serif,14" background "white"
set output output_file
set datafile separator ","
set datafile missing NaN

set title "SMB overhead: CPU availability by message size\n{/*0.8 two nodes of one Gemini, one rank each; no progression without core specialization, phases one and two with -r 1}"
set xlabel "message size (bytes)"
set ylabel "availability (%)"
set logscale x 2
set xtics ("1" 1, "4" 4, "16" 16, "64" 64, "256" 256, "1K" 1024, "4K" 4096, "16K" 16384, "64K" 65536, "256K" 262144, "1M" 1048576, "4M" 4194304)
set yrange [*<0:105]
set xrange [1:4194304]
set grid xtics ytics lc rgb "#dddddd"
set key outside below center horizontal maxrows 2 samplen 3 spacing 1.3

plot \
  none      using (strcol(1) eq "send" ? $2 : NaN):8 skip 1 with linespoints lc rgb "#555555" pt 7 ps 0.5 lw 2 title "none, sender", \
  none      using (strcol(1) eq "recv" ? $2 : NaN):8 skip 1 with linespoints lc rgb "#555555" pt 6 ps 0.5 lw 2 dt 2 title "none, receiver", \
  phase_one using (strcol(1) eq "send" ? $2 : NaN):8 skip 1 with linespoints lc rgb "#1f77b4" pt 7 ps 0.5 lw 2 title "phase one, sender", \
  phase_one using (strcol(1) eq "recv" ? $2 : NaN):8 skip 1 with linespoints lc rgb "#1f77b4" pt 6 ps 0.5 lw 2 dt 2 title "phase one, receiver", \
  phase_two using (strcol(1) eq "send" ? $2 : NaN):8 skip 1 with linespoints lc rgb "#d62728" pt 7 ps 0.5 lw 2 title "phase two, sender", \
  phase_two using (strcol(1) eq "recv" ? $2 : NaN):8 skip 1 with linespoints lc rgb "#d62728" pt 6 ps 0.5 lw 2 dt 2 title "phase two, receiver", \
  "-" using 1:2 with points pt 3 ps 1.6 lw 2 lc rgb "black" title "paper, none, 16 KB"
16384,83
16384,20
e
