/**
 * `siteledger lake sql`: the SQL with which plain DuckDB reads the newest export (the lake's `lake.sql`), with paths as
 * seen from here.
 */
import { Console, Effect, Option, Schema } from "effect"
import { Command } from "effect/cli"
import { Lake } from "../../src/Lake/Lake.ts"
import * as LakePointer from "../../src/Lake/LakePointer.ts"
import { readingSql } from "../../src/Lake/ReadingSql.ts"
import { visibleLines } from "../../src/Query/Text.ts"

export class NothingToRead extends Schema.TaggedError<NothingToRead>()("NothingToRead", { message: Schema.String }) {}

export const sql = Command.make("sql", {}, () =>
  Effect.gen(function* () {
    const lake = yield* Lake
    const { manifest } = yield* LakePointer.read(lake)
    if (Option.isNone(manifest)) {
      return yield* new NothingToRead({
        message: `There is no complete export on ${lake.name}: siteledger export makes one.`
      })
    }
    yield* Console.log(visibleLines(readingSql(manifest.value, lake.name).trimEnd()))
  })
).pipe(
  Command.withDescription("Print the SQL with which DuckDB reads the newest export: siteledger lake sql > lake.sql"),
  Command.withExamples([
    {
      command: "siteledger lake sql > lake.sql && duckdb -init lake.sql",
      description: "Open the newest export in DuckDB"
    },
    { command: 'siteledger lake sql | grep "create view"', description: "Which views it has" }
  ])
)
