-- An event without a time of its own can't be ordered, so it waits in quarantine and isn't applied.
select body_sha256
from {{ source('construction', 'events') }}
where outcome = 'applied' and event_timestamp is null
