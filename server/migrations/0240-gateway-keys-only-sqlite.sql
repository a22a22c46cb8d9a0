-- Until now gateways were tied to secret keys by their names: those whose name is that of a key now say which key it is.
update floors set gateways = (
    select json_group_array(
      json(case when k.key_id is null then g.value else json_set(g.value, '$.keyId', k.key_id) end) order by g.key)
    from json_each(floors.gateways) g
    left join secret_keys k on k.app_id = floors.app_id and k.name = json_extract(g.value, '$.name') and k.revoked_at is null)
  where gateways is not null and exists (
    select 1 from json_each(floors.gateways) g
    join secret_keys k on k.app_id = floors.app_id and k.name = json_extract(g.value, '$.name') and k.revoked_at is null);
