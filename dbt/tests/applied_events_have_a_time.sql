-- An event without a time of its own can't be put in order, and waits in quarantine.
select body_sha256
from {{ source('construction', 'events') }}
where outcome = 'applied' and event_timestamp is null
