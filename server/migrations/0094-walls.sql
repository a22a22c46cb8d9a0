-- JSON: lines in the metres of the floor; null: none are drawn.
alter table floors add column walls text;
