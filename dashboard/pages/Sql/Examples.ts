/**
 * Questions to start with, on tables and views that every copy has.
 */
interface Example {
  readonly asks: string
  readonly sql: string
}

export const examples: ReadonlyArray<Example> = [
  {
    asks: "What was paid in each month?",
    sql: "select month, currency, sum(ipcs_paid) as paid, sum(certified_amount) as amount\nfrom construction.cashflow_by_month\ngroup by all\norder by all"
  },
  {
    asks: "How long do certificates wait?",
    sql: "select case when days_waiting <= 30 then '0-30' when days_waiting <= 60 then '31-60'\n    when days_waiting <= 90 then '61-90' else 'over 90' end as days,\n  sum(certified_amount) as amount\nfrom construction.ipc_ageing\nwhere days_waiting is not null\ngroup by all\norder by all"
  },
  {
    asks: "What waits unposted, and why?",
    sql: 'select reason, currency, holds, amount, "unknown"\nfrom construction.ledger_unposted\norder by oldest'
  },
  {
    asks: "What moved on each account?",
    sql: "select account, currency, sum(debit) as debit, sum(credit) as credit, sum(balance) as balance\nfrom construction.ledger_trial_balance\ngroup by all\norder by all"
  },
  {
    asks: "How many events came, by day and type?",
    sql: "select received_at::date as day, event_type, count(*) as events\nfrom construction.events\ngroup by all\norder by all"
  },
  {
    asks: "Which tables are there?",
    sql: "select table_name, comment\nfrom duckdb_tables()\nwhere schema_name = 'construction'\norder by all"
  }
]
