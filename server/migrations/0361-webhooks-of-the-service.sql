-- The administrator who chose that a webhook is told of the whole service: with a role for some apps only, they no longer are by way of it.
alter table webhooks add column service_by text;
