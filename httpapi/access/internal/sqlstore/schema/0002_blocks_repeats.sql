-- Quotas are leased in blocks, and what is leased is what is counted. A claim counts how
-- often it was repeated.

drop table walletscreen_answered;

alter table walletscreen_claim add column repeats bigint not null default 0;
