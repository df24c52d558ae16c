/** A worker that slept while something was erased, and so has lost all its sessions, gets no new one. */
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { sql } from "kysely"
import { Connections } from "../../../src/Stores/Postgres/Connections.ts"
import { migrate } from "../../../src/Stores/Postgres/Migrations.ts"
import * as Postgres from "../../Postgres.ts"

const erased = `
  insert into siteledger.erasures (asked_at, asked_by, reason, salt, value_sha256, value_length, is_within, chain)
  values ('2026-11-20T08:00:00.000000Z', 'b', 'r', repeat('0', 64), repeat('1', 64), 12, 0, repeat('2', 64))`

/** For its work, and for deliveries. */
const uses = ({ db, prompt }: Connections): ReadonlyArray<() => Promise<unknown>> => [
  () => sql`select 1`.execute(db),
  () => prompt.query("select 1")
]

const told = (use: Promise<unknown>): Promise<string> =>
  use.then(
    () => "it was let in",
    (cause: unknown) => String(cause)
  )

describe.skipIf(Postgres.skipped !== undefined)("a worker that doesn't know what was erased meanwhile", () => {
  it("keeps the sessions that it has, and gets no new one, for its work and for deliveries", async () => {
    await using database = await Postgres.database()
    const at = () => new Connections(Redacted.make(database.url))
    const [before, after] = [at(), at()]
    try {
      await migrate(before)
      for (const { known } of [before, after]) known.erasures = 0
      for (const use of uses(before)) await use()
      await database.query(erased)
      for (const use of uses(before)) await use()
      for (const use of uses(after))
        assert.match(await told(use()), /something was erased while this worker had no connection/)
      after.known.erasures = 1
      for (const use of uses(after)) await use()
    } finally {
      await Promise.all([before.close(), after.close()])
    }
  })
})
