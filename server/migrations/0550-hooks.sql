-- Webhooks that are asked before records change: about which buckets (JSON; null: all), and what counts without an answer.
alter table webhooks add column buckets text;
alter table webhooks add column without_answer text;
