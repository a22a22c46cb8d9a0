-- Groups are read when an administrator signs in through a provider, so such a session lasts for 12 hours instead of a week.
update admin_sessions set expires_at = expires_at - 561600000 where provider_id is not null;
