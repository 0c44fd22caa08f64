# Draws the error of fidelity message over its longest queue; see run.sh.
set terminal svg size 900,560 font 'sans-serif,13' background '#ffffff'
set output output_file
set datafile separator ','
set key bottom left
set logscale x
set xlabel "longest queue before a link in fidelity message, over what its tiles hold"
set ylabel "error of fidelity message against packet, percent"
set yrange [-65:10]
set grid ytics lc rgb '#dddddd'
set arrow from 0.75, graph 0 to 0.75, graph 1 nohead dt 2 lc rgb '#888888'
set label "0.75: good to 2 %" at 0.8, 8 tc rgb '#555555'
of(kind, pattern) = sprintf("< grep '^%s,%s' %s", kind, pattern, table)
plot of('open loop', 'uniform') using 6:5 with linespoints pt 7 title "open loop, to any node", \
     of('open loop', 'neighbour') using 6:5 with linespoints pt 5 title "open loop, to neighbours", \
     of('open loop', 'tornado') using 6:5 with linespoints pt 9 title "open loop, half way round the rings", \
     of('burst', '') using 6:5 with linespoints pt 11 title "halo bursts", \
     of('pair', '') using ($6 < 0.01 ? 0.01 : $6):5 with points pt 6 lc rgb "#333333" title "pairs (without a queue: at 0.01)"
