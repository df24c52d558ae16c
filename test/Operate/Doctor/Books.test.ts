/** What `siteledger doctor` finds by trying, as the worker's role, in the schema that has an owner of its own. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { ok } from "../../../src/Operate/Doctor.ts"
import { server } from "../../../src/Operate/Doctor/Server.ts"
import * as Postgres from "../../Postgres.ts"
import { Roles } from "../../Stores/Postgres/Roles.ts"

const facts = "ledger.ledger_facts"
/** What the owner of a table may do: its own rights to change rows are gone, and it can have them back. */
const mighty = (table: string) =>
  ["alter", "disable the triggers of", "put a trigger on", "take over", "drop", "grant itself rights on"].map(
    (act) => `${act} ${table}`
  )

const tables = [
  "admin_log",
  "ledger_entries",
  "ledger_evidence",
  "ledger_facts",
  "ledger_hold_decisions",
  "ledger_terms"
]
  .map((name) => `ledger.${name}`)
  .join(", ")

describe.skipIf(Postgres.skipped !== undefined)("doctor tries, as the worker's role,", () => {
  /** The findings about the books, in one line each. */
  const examined = async (url: string): Promise<ReadonlyArray<string>> => {
    const found = await Effect.runPromise(server(Redacted.make(url), () => Effect.succeed(ok("none"))))
    return found.flatMap(({ check, sentence, verdict }) => (check === "books" ? [`${verdict} ${sentence}`] : []))
  }

  it("what it must not do with the books, names what isn't refused, and changes nothing", async () => {
    await using roles = new Roles()
    await using database = await Postgres.database()
    const { query } = database
    await roles.setUp(database)
    await roles.migrated(database)
    const { owner, worker } = roles
    const url = roles.url(database, "worker")
    const fine = [`ok ${worker} may append to the ledger's tables and no more: 59 other acts were refused.`]
    const content = `select md5(string_agg(f::text, '' order by number)) as content from ${facts} f`
    await query(`insert into ${facts} values (1, 'i', 'paid', 'now', '{}'), (2, 'j', 'paid', 'now', '{}')`)
    const before = await query(content)
    for (const [change, ...acts] of [
      [`grant update (amount) on ledger.ledger_entries to ${worker}`, "update ledger.ledger_entries"],
      [`grant delete on ${facts} to ${worker}`, `delete from ${facts}`],
      ["grant truncate on ledger.ledger_terms to public", "truncate ledger.ledger_terms"],
      [`grant trigger on ${facts} to ${worker}`, `put a trigger on ${facts}`],
      [
        `grant delete on ${facts} to ${worker} with grant option`,
        `delete from ${facts}`,
        `grant itself rights on ${facts}`
      ],
      [`grant create on schema ledger to ${worker}`, "create tables in the schema ledger"],
      [`grant update on ledger.kysely_migration to ${worker}`, "change the versions of the schema ledger"],
      [`alter function ledger.refuse_change() owner to ${worker}`, "replace the functions of the schema ledger"],
      [`alter table ledger.ledger_terms owner to ${worker}`, ...mighty("ledger.ledger_terms")]
    ] as const) {
      await query(change)
      assert.deepStrictEqual(
        await examined(url),
        acts.map((act) => `fail ${worker} may ${act}.`),
        change
      )
      await query(roles.sql)
      assert.deepStrictEqual(await examined(url), fine)
    }
    await query(`grant ${owner} to ${worker}`)
    const asMember = await examined(url)
    assert.include(asMember, `fail ${worker} may alter ${tables}.`)
    assert.include(asMember, `fail ${worker} may act as the owner of the schema ledger.`)
    await query(`revoke ${owner} from ${worker}`)
    assert.deepStrictEqual(await examined(url), fine)
    assert.deepStrictEqual(await query(content), before)
  })
})
