-- Where the role holds of those who join through a provider without an invitation; null: everywhere, as it was before.
alter table sso_providers add column join_apps text;
