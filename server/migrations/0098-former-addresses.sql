-- Hashes of the addresses that an account had before, so that somebody who has written a push does not approve it under another one.

alter table users add column former_addresses text;
