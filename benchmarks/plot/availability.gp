# SMB overhead by message size: availability above, overhead below; sender left, receiver right. No
# progression, phase one, phase two.
# Variables: output_file, none, phase_one, phase_two (CSV files of smb_overhead), changes (sizes in
# bytes where the protocol changes, ascending, divided by blanks) and protocols (a word for each stretch
# between them, "-" for a blank in it).
set terminal svg size 1240,900 dynamic enhanced font "sans-serif,14" background "white"
set output output_file
set datafile separator ","
set datafile missing NaN
set logscale x 2
set xtics ("1" 1, "4" 4, "16" 16, "64" 64, "256" 256, "1K" 1024, "4K" 4096, "16K" 16384, "64K" 65536, "256K" 262144, "1M" 1048576, "4M" 4194304) nomirror
set xrange [0.8:5242880]
set grid xtics ytics lc rgb "#e4e4e4"

# A curve that lies on another stays in sight: wide and pale below, thin and dark above.
set style line 1 lc rgb "#777777" lw 2 pt 7 ps 0.6
set style line 2 lc rgb "#7fb8e6" lw 7 pt 5 ps 1.0
set style line 3 lc rgb "#b4161b" lw 1.6 pt 7 ps 0.45
set style line 4 lc rgb "black" lw 2 pt 3 ps 1.6
$published << END
16384,83,20
END

# x of each change, and of the middle of each stretch, as a share of the axis.
share(bytes) = (log(bytes) - log(0.8)) / (log(5242880) - log(0.8))
do for [i = 1:words(changes)] {
  at = share(real(word(changes, i)))
  set arrow i from graph at, graph 0 to graph at, graph 1 nohead dt 3 lw 1.5 lc rgb "#333333" back
}
word_of(i) = join_blanks(word(protocols, i))
join_blanks(text) = strstrt(text, "-") == 0 ? text : text[1:strstrt(text, "-") - 1] . "\n" . join_blanks(text[strstrt(text, "-") + 1:*])
do for [i = 1:words(protocols)] {
  from = i == 1 ? 0.0 : share(real(word(changes, i - 1)))
  to = i > words(changes) ? 1.0 : share(real(word(changes, i)))
  set label i word_of(i) at graph (from + to) / 2, graph 0.95 center font ",11" tc rgb "#333333"
}

of(file, side, column) = sprintf("'%s' using (strcol(1) eq '%s' ? $2 : NaN):%d skip 1 with linespoints", file, side, column)
curves(side, column) = of(none, side, column) . " ls 1 title 'no progression', " . of(phase_one, side, column) . " ls 2 title 'phase one, -r 1', " . of(phase_two, side, column) . " ls 3 title 'phase two, -r 1'"

set key off
set multiplot layout 2, 2 title "SMB overhead: two nodes of one Gemini, one rank each" font ",17" margins 0.065, 0.985, 0.075, 0.9 spacing 0.07, 0.1

set yrange [0:126]
set ytics 0, 20, 100 nomirror
set ylabel "availability (%)"
set title "sender: availability"
eval "plot " . curves("send", 8) . ", $published using 1:2 with points ls 4"
set title "receiver: availability"
set ylabel ""
eval "plot " . curves("recv", 8) . ", $published using 1:3 with points ls 4"

unset label
set logscale y 10
set yrange [0.1:2000]
set ytics auto nomirror
set format y "%g"
set xlabel "message size (bytes)"
set ylabel "overhead (us)"
set title "sender: overhead"
set key at graph 0.03, graph 0.96 left top Left reverse samplen 4 spacing 1.3 box lc rgb '#bbbbbb' opaque
eval "plot " . curves("send", 6) . ", NaN with points ls 4 title 'published (CUG 2012)'"
set key off
set ylabel ""
set title "receiver: overhead"
eval "plot " . curves("recv", 6)
unset multiplot
