/**
 * The views for analysts: the same text in both engines of the Warehouse and in the lake's `lake.sql`.
 *
 * A view that adds money groups it by currency. A later version replaces a view and adds columns at its end; the text
 * of a released version never changes, because its migration uses it.
 */

import { money } from "./Ddl.ts"

// Days between the UTC dates of two times, so that no time zone of an engine or session matters.
const days = (from: string, to: string): string =>
  `(cast(${to} at time zone 'UTC' as date) - cast(${from} at time zone 'UTC' as date))`

const first = {
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
  // Two lines per entry, balanced and never negative: a negative amount goes on the other side.
  ledger_lines: `
  select e.entry_id, l.account, l.debit, l.credit
  from construction.ledger_entries e
  cross join lateral (
    values (e.debit_account, greatest(e.amount, 0), greatest(-e.amount, 0)),
      (e.credit_account, greatest(-e.amount, 0), greatest(e.amount, 0))
  ) as l (account, debit, credit)`
}

/**
 * The configured value for the project of `r`: null if nothing is configured, or if it depends on a project that isn't
 * known.
 */
const configured =
  "coalesce(own.currency, case when r.project_id is not null or others.named = 0 then others.standard end)"

const currencies = `
    left join construction.project_currencies own on own.project_id = r.project_id
    cross join (
      select max(currency) filter (where project_id is null) as standard, count(project_id) as named
      from construction.project_currencies
    ) as others`

/** The books know the actual currency, regardless of the current configuration. */
const ofIpc = `coalesce(e.currency, ${configured})`

const ipcs = `construction.ipcs r
    left join (
      select ipc_id, max(currency) as currency from construction.ledger_entries
      group by ipc_id having min(currency) = max(currency)
    ) as e on e.ipc_id = r.id${currencies}`

const second = {
  ipc_ageing: `
    select r.id as ipc_id, r.project_id, r.status, r.certified_amount, r.submitted_at, r.certified_at, r.paid_at,
      ${days("r.submitted_at", "r.certified_at")} as days_submitted_to_certified,
      ${days("r.certified_at", "r.paid_at")} as days_certified_to_paid,
      case when r.paid_at is null and r.submitted_at is not null
        then ${days("r.submitted_at", "current_timestamp")} end as days_waiting,
      r.paid_at is not null as is_paid,
      ${ofIpc} as currency
    from ${ipcs}
    where r._deleted_at is null`,
  vo_exposure: `
    select r.project_id, r.status, count(*) as vos, sum(r.total_cost_impact) as total_cost_impact,
      sum(r.final_amount) as final_amount,
      sum(coalesce(r.final_amount, r.total_cost_impact)) as exposure,
      ${configured} as currency
    from construction.vos r${currencies}
    where r._deleted_at is null group by r.project_id, r.status, 7`,
  cashflow_by_month: `
    select cast(date_trunc('month', r.paid_at at time zone 'UTC') as date) as month, r.project_id,
      count(*) as ipcs_paid, sum(r.certified_amount) as certified_amount,
      count(*) - count(r.certified_amount) as without_amount,
      ${ofIpc} as currency
    from ${ipcs}
    where r.paid_at is not null and r._deleted_at is null
    group by 1, r.project_id, 6`,
  // A cast, because a plain 0 has no decimals in PostgreSQL.
  ledger_lines: `
  select e.entry_id, l.account, cast(l.debit as decimal(28,4)) as debit, cast(l.credit as decimal(28,4)) as credit,
    e.currency, coalesce(e.posting_date, cast(e.effective_at at time zone 'UTC' as date)) as posting_date
  from construction.ledger_entries e
  cross join lateral (
    values (e.debit_account, greatest(e.amount, 0), greatest(-e.amount, 0)),
      (e.credit_account, greatest(-e.amount, 0), greatest(e.amount, 0))
  ) as l (account, debit, credit)`
}

const amountOfLine = `replace(cast(l.value as varchar), '"', '')`

/** An entry with more than two lines names the amount of each account, as a text. */
const lines = (amount: string): string => `
  select e.entry_id, l.account, cast(l.debit as decimal(28,4)) as debit, cast(l.credit as decimal(28,4)) as credit,
    e.currency, coalesce(e.posting_date, cast(e.effective_at at time zone 'UTC' as date)) as posting_date
  from construction.ledger_entries e
  cross join lateral (
    values (e.debit_account, greatest(e.amount, 0), greatest(-e.amount, 0)),
      (e.credit_account, greatest(-e.amount, 0), greatest(e.amount, 0))
  ) as l (account, debit, credit)
  where e.lines is null
  union all
  select entry_id, account, cast(greatest(amount, 0) as decimal(28,4)), cast(greatest(-amount, 0) as decimal(28,4)),
    currency, posting_date
  from (
    select e.entry_id, l.key as account, ${amount} as amount,
      e.currency, coalesce(e.posting_date, cast(e.effective_at at time zone 'UTC' as date)) as posting_date
    from construction.ledger_entries e cross join lateral json_each(cast(e.lines as json)) as l
    where e.lines is not null
  ) as several`

const third = {
  ledger_lines: lines(`cast(${amountOfLine} as decimal(28,4))`),
  // By day, so that the days up to one add up to the trial balance as of that day.
  ledger_trial_balance: `
    select e.project_id, l.currency, l.account, l.posting_date, sum(l.debit) as debit, sum(l.credit) as credit,
      sum(l.debit) - sum(l.credit) as balance
    from construction.ledger_lines l join construction.ledger_entries e on e.entry_id = l.entry_id
    group by e.project_id, l.currency, l.account, l.posting_date`,
  ledger_unposted: `
    select reason, currency, count(*) as holds, coalesce(sum(amount), cast(0 as decimal(28,4))) as amount,
      count(*) - count(amount) as "unknown", min(since) as oldest
    from construction.ledger_holds group by reason, currency`
}

/** Reading a line of an entry that names several took 25 µs; now it takes 4. */
const eighth = { ledger_lines: lines(money(amountOfLine)) }

type Views = Readonly<Record<string, string>>

/** What each version created or replaced, by name. */
export const viewsSince: Readonly<Record<number, Views>> = { 1: first, 2: second, 3: third, 8: eighth }

export const views = { ...first, ...second, ...third, ...eighth } as const satisfies Views

export const viewNames = Object.keys(views)
