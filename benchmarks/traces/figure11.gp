# S2's figure 11, and below it a replay with the clocks set together. Variables: folder, output_file.
is_svg = strstrt(output_file, ".svg") > 0
if (is_svg) set terminal svg size 900,1000 dynamic noenhanced font "sans-serif,13" background "white"
if (!is_svg) set terminal png size 900,1000 noenhanced font "sans-serif,10" background "white"
set output output_file
set multiplot layout 4,1 margins 0.09,0.98,0.06,0.96 spacing 0.06
set xrange [0:10]
set yrange [0:140]
set grid ytics lc rgb "#dddddd"
set ylabel "duration of a call, ms"
unset key
draw(name, words) = sprintf("set title '%s'; plot '%s/%s.points' with points pt 7 ps 0.25 lc rgb '#2a6fb0'", \
                            words, folder, name)
eval draw("trace", "the trace (LULESH, 64 ranks; clocks up to 0.1 s apart)")
eval draw("exact", "replay, calls at the exact times of the trace")
eval draw("shift", "replay with time shift")
set xlabel "s since the begin"
eval draw("clocks", "replay at exact times, the clocks set together by the messages")
unset multiplot
