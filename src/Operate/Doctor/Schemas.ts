/**
 * The schemas and the versions of their tables, for `siteledger doctor`: what is missing, who has to create it, and
 * whether the next start will do so or will refuse until `siteledger migrate` was run.
 */
import { Effect } from "effect"
import { type CheckResult, fail, ok, warn } from "../Doctor.ts"
import { migrations, partOf } from "../../Stores/Postgres/Migrations.ts"
import * as JsonbViews from "../../Stores/Postgres/JsonbViews.ts"
import { appendOnly } from "../../Stores/Postgres/Rights.ts"
import { type Answer, type Ask, advice } from "./Roles.ts"

/** In `ledger`, a worker whose role isn't the owner may only enter. */
const found = `
  select name, n.oid is not null as is_there, coalesce(pg_has_role(n.nspowner, 'member'), true) as is_own,
    coalesce(has_schema_privilege(n.oid, 'usage')
      and (has_schema_privilege(n.oid, 'create') or name = 'ledger' and not pg_has_role(n.nspowner, 'member')), false)
      as is_usable,
    has_database_privilege(current_database(), 'create') as can_make,
    exists (select from pg_class where relnamespace = n.oid and relname = 'kysely_migration') as is_made
  from unnest(array['ledger', 'siteledger', 'construction']) as name left join pg_namespace n on n.nspname = name`

const booksElsewhere = `
  select from pg_class where relnamespace = to_regnamespace('siteledger') and relkind = 'r'
    and relname in (${appendOnly.map((table) => `'${table}'`).join(", ")})`

const migrateAdvice = "Run siteledger migrate as their owner (SITELEDGER_MIGRATE_URL): until then, no worker starts."

/** Views that the worker's role may not create. */
const unmadeViews = `
  select n.oid is not null as is_there
  from (select) as one left join pg_namespace n on n.nspname = '${JsonbViews.schema}'
  where not coalesce(pg_has_role(n.nspowner, 'usage'), has_database_privilege(current_database(), 'create'))`

const names = (rows: ReadonlyArray<Answer>) => rows.map(({ name }) => String(name)).join(" and ")

export const schemas = (ask: Ask) =>
  Effect.gen(function* () {
    const rows = yield* ask(found)
    const unmade = rows.filter((row) => row["is_there"] === false)
    if (unmade.some((row) => row["can_make"] === false)) {
      return fail(`There is no schema ${names(unmade)}, and the worker's role may not create one.`, advice)
    }
    const unusable = rows.filter((row) => row["is_there"] === true && row["is_usable"] === false)
    if (unusable.length > 0) {
      return fail(`The worker's role may not use the schema ${names(unusable)} as it must.`, advice)
    }
    const [ledger = {}, rest = {}] = rows
    const versions = (row: Answer) =>
      row["is_made"] === true
        ? Effect.map(ask(`select name from ${String(row["name"])}.kysely_migration`), (all) =>
            all.map(({ name }) => String(name))
          )
        : Effect.succeed([])
    const [inLedger, inRest] = [yield* versions(ledger), yield* versions(rest)]
    const isElsewhere = (yield* ask(booksElsewhere)).length > 0
    const judged = judge(ledger["is_own"] === true, inLedger, inRest, isElsewhere)
    const [unmadeView] = yield* ask(unmadeViews)
    return judged.verdict === "fail" || unmadeView === undefined ? judged : withoutViews(unmadeView)
  })

const withoutViews = (row: Answer): CheckResult =>
  warn(
    row["is_there"] === true
      ? `The schema ${JsonbViews.schema} is another role's, so analysts lack the views with jsonb.`
      : `There is no schema ${JsonbViews.schema}, and the worker's role may not create one: analysts lack the views with jsonb.`,
    `${advice} The next start makes the views.`
  )

const judge = (
  isOwn: boolean,
  inLedger: ReadonlyArray<string>,
  inRest: ReadonlyArray<string>,
  isElsewhere: boolean
): CheckResult => {
  const made = [...new Set([...inLedger, ...inRest])].toSorted()
  const unknown = made.filter((name) => !(name in migrations))
  if (unknown.length > 0) {
    return fail(`The tables were created by a newer siteledger (${unknown.join(", ")}).`, "Install that version.")
  }
  const dueInLedger = Object.keys(partOf(migrations, "ledger")).filter((name) => !inLedger.includes(name))
  if (!isOwn && dueInLedger.length > 0) {
    const lacks =
      inLedger.length === 0 ? "There are no tables yet." : `The ledger's tables lack ${dueInLedger.join(", ")}.`
    return fail(isElsewhere ? "The ledger's tables have yet to move to the schema ledger." : lacks, migrateAdvice)
  }
  if (isElsewhere) return ok("The next start moves the ledger's tables to the schema ledger, and migrates the others.")
  if (made.length === 0) return ok("The tables are created at the first start.")
  const dueInRest = Object.keys(partOf(migrations, "rest")).filter((name) => !inRest.includes(name))
  const due = [...new Set([...dueInLedger, ...dueInRest])].toSorted()
  return ok(due.length === 0 ? "The tables are current." : `The next start migrates the tables to ${due.join(", ")}.`)
}
