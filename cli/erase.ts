/**
 * `siteledger erase`: removes a value, such as a person's name, or a record from everything that the store, its copies
 * and the lake hold; no worker may be running. The next start rebuilds the warehouse and the analysts' copy. Deliveries
 * and pages that arrive later lose the value or the record, too.
 */
import { join } from "node:path"
import { Console, Effect, Layer, Option, type Scope } from "effect"
import { Command, Flag, Prompt } from "effect/cli"
import * as Settings from "../config/Settings.ts"
import * as ConstructionColumns from "../connectors/construction/ConstructionColumns.ts"
import type { Given } from "../connectors/construction/ConstructionErased.ts"
import * as ConstructionErasing from "../connectors/construction/ConstructionErasing.ts"
import { lists } from "../pipelines/lists.ts"
import { lake, publishedPath } from "../pipelines/nightly.ts"
import { SwitchedOn } from "../src/Discovery/Resources.ts"
import * as Erase from "../src/Operate/Erase.ts"
import * as Embedded from "../src/Operate/Erase/Embedded.ts"
import * as Server from "../src/Operate/Erase/Server.ts"
import { Lock } from "../src/Runtime/Lock.ts"
import { byEngine, isEmbedded } from "../src/Stores/Engine.ts"
import { storePath } from "../src/Stores/Sqlite/Store.ts"
import { asked, usage } from "./erase/Asked.ts"
import * as Log from "./Log.ts"
import { by, json, optionalText, toggle, why } from "./Options.ts"
import * as Said from "./Said.ts"

const flags = {
  value: optionalText("value", "What to erase: whole texts that are this value; - reads it from standard input"),
  field: optionalText("field", "Only from fields of this name; numbers there are erased, too"),
  within: toggle("within", "Also from longer texts that have it as whole words"),
  table: optionalText("table", "Instead of a value: the table of a record, with --id"),
  id: Flag.String("id").pipe(
    Flag.withDescription("The record's id; once for each column of the table's key"),
    Flag.atLeast(0)
  ),
  dryRun: toggle("dry-run", "Show what would go and what would stay; nothing is changed"),
  reason: why,
  by,
  removeExports: toggle("remove-exports", "Remove all exports from the lake: each may hold it"),
  resume: toggle("resume", "Finish an erasure that was cut off"),
  yes: toggle("yes", "Erase without asking"),
  json
}

type Opening = Effect.Effect<Erase.Engine, Effect.Error<Erase.Open>, Settings.Settings | Scope.Scope>

/** How each engine is opened for this. */
const engineOf = (given: Given) =>
  Effect.gen(function* () {
    const settings = yield* Settings.Settings
    const { migrateUrl: ownersUrl } = yield* Settings.migration
    const fields = ConstructionColumns.fields(given, yield* SwitchedOn)
    const published = publishedPath(settings.dataDir)
    return byEngine(settings, {
      embedded: (files): Opening => Embedded.open({ ...files, published }),
      server: (url): Opening => {
        // Files of a Store that has moved to the server.
        const before = { store: storePath(settings.dataDir), warehouse: join(settings.dataDir, "warehouse.duckdb") }
        return Server.open({ ...before, url, ownersUrl, fields, published })
      }
    })
  })

const place = Effect.gen(function* () {
  const settings = yield* Settings.Settings
  const { aliases = {}, contentsAt = [] } = settings.ledger.reading ?? {}
  const switchedOn = yield* SwitchedOn
  const reads: Erase.Place["reads"] = (before) =>
    ConstructionErasing.reads({ aliases, contentsAt, recordsAt: [] }, switchedOn, before)
  const engine = yield* engineOf({ aliases, contentsAt })
  const context = yield* Effect.context<Settings.Settings>()
  const open = Effect.provideContext(engine, context)
  return { reads, open } satisfies Erase.Place
})

const noTerminal =
  "Nothing was erased: standard input isn't a terminal, so you can't be asked. Give --yes to erase without a question."
const question = "Erase it permanently from all of this? It can't be undone"

const notErased = new Erase.EraseError({ message: "Nothing was erased." })

const agreed = Effect.gen(function* () {
  if (!process.stdin.isTTY) return yield* usage(noTerminal)
  if (!(yield* Prompt.run(Prompt.Confirm({ message: question })))) return yield* notErased
})

/** Wording that differs between files and a server. */
const wordsOf = (withFiles: boolean) => ({
  page: page(
    withFiles
      ? "The warehouse and the analysts' copy are made again."
      : "Those of the warehouse are changed where they are; the analysts' copy is made again."
  ),
  afterwards: (but = ""): string =>
    `It is erased${but}. Start the worker: it makes ${withFiles ? "the warehouse and " : ""}the analysts' copy again, and ` +
    `the next export is a whole one. Backups still have it, as do ${withFiles ? "" : "the server's write-ahead log, "}` +
    "copies that others have made, and the accounting system whatever was sent there."
})

export const erase = Command.make("erase", flags, ({ json: asJson, ...given }) =>
  Effect.gen(function* () {
    const where = yield* place
    const settings = yield* Settings.Settings
    const { dataDir } = settings
    const said = wordsOf(isEmbedded(settings))
    const alone = Effect.provide(Lock.layerAt(dataDir))
    if (given.resume) {
      yield* alone(Erase.resume(where))
      return yield* Console.error(said.afterwards())
    }
    const what = yield* asked(given, yield* SwitchedOn)
    const answer = Said.answer(asJson, said.page)
    const erasing = Effect.gen(function* () {
      if (given.dryRun) return yield* answer(yield* Erase.look(where, what))
      if (Option.isNone(given.reason)) return yield* usage("Say why: --reason TEXT, which is kept permanently.")
      const erased = yield* Erase.erase(where, what, {
        by: given.by,
        reason: given.reason.value,
        removesExports: given.removeExports,
        shown: (found) => (asJson ? Effect.void : answer(found)),
        agreed: given.yes ? Effect.void : agreed
      })
      if (asJson) yield* answer(erased)
      yield* Console.error(said.afterwards(", except for what stays"))
    })
    yield* alone(erasing)
  })
).pipe(
  Command.withDescription(
    "Erase a value, such as a person's name, or a record from everything; no worker may be running"
  ),
  Command.withExamples([
    {
      command: 'siteledger erase --value "Ada Lovelace" --dry-run',
      description: "Show what would go, and what would stay"
    },
    {
      command: 'siteledger erase --value ada@example.org --within --reason "asked on 26 November" --remove-exports',
      description: "Erase an address, also from longer texts; it is asked once more"
    },
    {
      command: 'siteledger erase --table permits --id 17 --reason "asked on 26 November" --remove-exports',
      description: "Erase a record, except its id and what says what happened when"
    }
  ]),
  Command.provide(Layer.merge(lake, lists).pipe(Layer.provideMerge(Log.layerSettings)))
)

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0)

const page =
  (warehouse: string) =>
  ({ changed, deliveries, exports, insideLonger, kept, setAside }: Erase.Found) => [
    `In ${Said.counted(deliveries, "delivery", "deliveries")} and ${Said.counted(sum(changed), "other row", "other rows")} of the store. ${warehouse}`,
    ...(insideLonger === 0
      ? []
      : [
          `${Said.counted(insideLonger, "more has", "more have")} it within longer texts, where it stays without --within.`
        ]),
    ...Said.section(
      "Exports that are removed",
      exports.map(({ run, safeUntil }) => `${run}  ${safeUntil ?? "the newest"}`),
      "None."
    ),
    ...Said.section(
      "Kept in the store: the books, ids, and the fields that say what a delivery is about",
      Object.entries(kept).map(([table, rows]) => `${table}  ${Said.counted(rows, "row", "rows")}`),
      "Nothing that contains it."
    ),
    ...Said.section("Files that aren't searched: delete them yourself", setAside, "None.")
  ]
