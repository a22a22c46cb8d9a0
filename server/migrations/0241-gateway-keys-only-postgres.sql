-- Until now gateways were tied to secret keys by their names: those whose name is that of a key now say which key it is.
update floors set gateways = (
    select json_agg(
      case when k.key_id is null then g.value else g.value || jsonb_build_object('keyId', k.key_id) end order by g.place)::text
    from jsonb_array_elements(floors.gateways::jsonb) with ordinality g (value, place)
    left join secret_keys k on k.app_id = floors.app_id and k.name = g.value ->> 'name' and k.revoked_at is null)
  where gateways is not null and exists (
    select 1 from jsonb_array_elements(floors.gateways::jsonb) g (value)
    join secret_keys k on k.app_id = floors.app_id and k.name = g.value ->> 'name' and k.revoked_at is null);
