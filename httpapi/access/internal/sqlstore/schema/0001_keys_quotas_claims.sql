-- What an access.Store keeps, in SQL that SQLite and PostgreSQL both understand.
--
-- Times are microseconds since 1970 in UTC; null is the zero time. Hashes have 64 hex
-- digits. A month is its year * 12 + 0 for January to 11 for December.

create table walletscreen_key (
	id            text             not null primary key,
	name          text             not null,
	secret        text             not null,
	previous      text,
	previous_ends bigint,
	scopes        text             not null,
	quota         bigint           not null,
	rate          double precision not null,
	burst         bigint           not null,
	created       bigint,
	expires       bigint,
	revoked       bigint,
	last_used     bigint,
	version       bigint           not null
);

-- How much of a quota is leased, and how much the last lease was granted. The id need
-- not be that of a key.
create table walletscreen_lease (
	key_id  text    not null,
	month   integer not null,
	leased  bigint  not null check (leased >= 0),
	granted bigint  not null check (granted >= 0),
	changed bigint  not null,
	primary key (key_id, month)
);

create index walletscreen_lease_month on walletscreen_lease (month);

-- How many screenings each replica has answered; those that have ended share the empty
-- name.
create table walletscreen_answered (
	key_id   text    not null,
	month    integer not null,
	replica  text    not null,
	answered bigint  not null check (answered >= 0),
	changed  bigint  not null,
	primary key (key_id, month, replica)
);

create index walletscreen_answered_month on walletscreen_answered (month);

create table walletscreen_claim (
	key_id  text   not null,
	token   text   not null,
	print   text   not null,
	granted bigint not null,
	expires bigint not null,
	primary key (key_id, token)
);

create index walletscreen_claim_expires on walletscreen_claim (expires);
