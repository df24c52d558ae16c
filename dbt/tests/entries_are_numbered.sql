-- The journal has no gap and starts with 1.
select count(*) as entries, max(sequence) as last
from {{ source('construction', 'ledger_entries') }}
having count(*) <> coalesce(max(sequence), 0)
