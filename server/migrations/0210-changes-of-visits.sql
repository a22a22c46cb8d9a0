-- Rows are there for seconds: the few of an app are looked through when somebody is erased, and each write is spared an entry.
drop index visit_changes_installation;
