# Cray's tables of S3D and MILC: published bars beside ours, and by how many percent these differ; a
# panel for each size of job.
# Variables: output_file, s3d, milc_8192, milc_4096 (files of "label" published ours).
set terminal svg size 1000,1200 dynamic enhanced font "sans-serif,14" background "white"
set output output_file
set style data histograms
set style histogram clustered gap 1
set style fill solid noborder
set boxwidth 0.9
set grid ytics lc rgb "#dddddd"
set key outside top right horizontal samplen 2
set xtics scale 0 font ",12"
set bmargin 4

title_s3d = "S3D on 64 nodes: seconds of a time step (S4, table 3)"
title_milc_8192 = "MILC, 8,192 ranks: seconds of a run (S4, table 5)"
title_milc_4096 = "MILC, 4,096 ranks: seconds of a run (S4, table 5)"
format_s3d = "%.2f"
format_milc_8192 = "%.0f"
format_milc_4096 = "%.0f"

panels = "s3d milc_8192 milc_4096"
do for [panel in panels] {  # sets s3d_max, s3d_records, ...
  stats value(panel) using ($2 > $3 ? $2 : $3) name panel nooutput
}

half = 1.0 / 6  # from the middle of a cluster to that of a bar; clusters are 1 apart
set multiplot layout 3, 1
do for [panel in panels] {
  file = value(panel)
  number = value("format_" . panel)
  set title value("title_" . panel)
  set xrange [-0.6:value(panel . "_records") - 0.4]
  set yrange [0:1.2 * value(panel . "_max")]
  plot file using 2:xtic(1) lc rgb "#555555" title "published", \
    file using 3 lc rgb "#1f77b4" title "ours", \
    file using ($0 - half):2:(sprintf(number, $2)) with labels offset 0, 0.6 font ",11" notitle, \
    file using ($0 + half):3:(sprintf(number . "\n%+d %%", $3, int(floor(100 * ($3 / $2 - 1) + 0.5)))) with labels offset 0, 1.2 font ",11" notitle
}
unset multiplot
