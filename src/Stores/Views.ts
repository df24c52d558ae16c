/**
 * The views for analysts: the same text in both engines of the Warehouse and in the lake's `lake.sql`.
 */

// Days between the UTC dates of two times, so that no engine's or session's time zone matters.
const days = (from: string, to: string): string =>
  `(cast(${to} at time zone 'UTC' as date) - cast(${from} at time zone 'UTC' as date))`

export const views = {
  ipc_ageing: `
    select id as ipc_id, project_id, status, certified_amount, submitted_at, certified_at, paid_at,
      ${days("submitted_at", "certified_at")} as days_submitted_to_certified,
      ${days("certified_at", "paid_at")} as days_certified_to_paid,
      case when paid_at is null and submitted_at is not null
        then ${days("submitted_at", "current_timestamp")} end as days_waiting,
      paid_at is not null as is_paid
    from construction.ipcs where _deleted_at is null`,
  vo_exposure: `
    select project_id, status, count(*) as vos, sum(total_cost_impact) as total_cost_impact,
      sum(final_amount) as final_amount,
      sum(coalesce(final_amount, total_cost_impact)) as exposure
    from construction.vos where _deleted_at is null group by project_id, status`,
  open_ncrs: `
    select id as ncr_id, project_id, severity, created_at, ${days("created_at", "current_timestamp")} as days_open
    from construction.ncrs where status = 'open' and _deleted_at is null`,
  expiring_permits: `
    select id as permit_id, permit_type, validity, hours_until_expiry, expiring_at,
      expiring_at + hours_until_expiry * interval '1 hour' as expires_at
    from construction.permits where status = 'expiring' and _deleted_at is null`,
  cashflow_by_month: `
    select cast(date_trunc('month', paid_at at time zone 'UTC') as date) as month, project_id,
      count(*) as ipcs_paid, sum(certified_amount) as certified_amount,
      count(*) - count(certified_amount) as without_amount
    from construction.ipcs where paid_at is not null and _deleted_at is null
    group by 1, project_id`,
  // Two lines per entry, balanced and never negative: a negative amount is on the other side.
  ledger_lines: `
  select e.entry_id, l.account, l.debit, l.credit
  from construction.ledger_entries e
  cross join lateral (
    values (e.debit_account, greatest(e.amount, 0), greatest(-e.amount, 0)),
      (e.credit_account, greatest(-e.amount, 0), greatest(e.amount, 0))
  ) as l (account, debit, credit)`
} as const satisfies Readonly<Record<string, string>>

export const viewNames = Object.keys(views)
