-- The claims of one key are bounded: the oldest are deleted.

create index walletscreen_claim_key on walletscreen_claim (key_id, expires);
