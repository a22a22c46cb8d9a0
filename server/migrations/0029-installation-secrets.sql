-- The hash of a secret that the phone has made, by which its later calls prove that they come from it.

alter table installations add column secret_hash text;
