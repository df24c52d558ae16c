-- Each entry moves as much to one side as to the other.
select entry_id, sum(debit) as debit, sum(credit) as credit
from {{ var('siteledger_schema', 'construction') }}.ledger_lines
group by entry_id
having sum(debit) <> sum(credit)
