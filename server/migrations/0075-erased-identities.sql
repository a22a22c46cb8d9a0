-- Who was erased and may still have tokens of an identity provider: a hash of issuer and subject.
create table erased_identities (
  app_id text not null,
  person_hash text not null,
  erased_at bigint not null,
  primary key (app_id, person_hash)
);
create index erased_identities_time on erased_identities (erased_at);
