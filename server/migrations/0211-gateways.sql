-- JSON: names and places of receivers in the metres of the floor; null: none.
alter table floors add column gateways text;
