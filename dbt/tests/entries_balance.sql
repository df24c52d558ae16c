-- Each entry debits as much as it credits.
select entry_id, sum(debit) as debit, sum(credit) as credit
from {{ var('siteledger_schema', 'construction') }}.ledger_lines
group by entry_id
having sum(debit) <> sum(credit)
