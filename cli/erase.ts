/**
 * `siteledger erase`: a value, such as a person's name, leaves everything that the store, the copies made of it and the lake
 * hold; no worker may be running. The next start makes the warehouse and the analysts' copy again. What comes in later loses
 * it, too.
 */
import { Console, Effect, Layer, Option } from "effect"
import { CliError, Command, Prompt } from "effect/cli"
import * as Settings from "../config/Settings.ts"
import * as ConstructionErasing from "../connectors/construction/ConstructionErasing.ts"
import { lists } from "../pipelines/lists.ts"
import { lake, publishedPath } from "../pipelines/nightly.ts"
import { SwitchedOn } from "../src/Discovery/Resources.ts"
import * as Erase from "../src/Operate/Erase.ts"
import * as Embedded from "../src/Operate/Erase/Embedded.ts"
import { Lock } from "../src/Runtime/Lock.ts"
import { byEngine } from "../src/Stores/Engine.ts"
import * as Log from "./Log.ts"
import { by, json, optionalText, piped, toggle, why } from "./Options.ts"
import * as Said from "./Said.ts"

const flags = {
  value: optionalText("value", "What to erase: whole texts that are this value; - reads it from standard input"),
  field: optionalText("field", "Only from fields of this name, and there also a number"),
  within: toggle("within", "Also from longer texts, where it stands as whole words"),
  dryRun: toggle("dry-run", "Show what would go and what would stay; nothing is changed"),
  reason: why,
  by,
  removeExports: toggle("remove-exports", "Remove all exports from the lake: each may hold it"),
  resume: toggle("resume", "Finish an erasure that was cut off"),
  yes: toggle("yes", "Erase without asking"),
  json
}

const onServer = new Erase.EraseError({
  message: "The store is in PostgreSQL, from which nothing can be erased yet. Nothing was erased."
})

const place = Effect.gen(function* () {
  const settings = yield* Settings.Settings
  const files = yield* byEngine(settings, { embedded: (found) => Effect.succeed(found), server: () => onServer })
  const published = publishedPath(settings.dataDir)
  const { aliases = {}, contentsAt = [] } = settings.ledger.reading ?? {}
  const kept = ConstructionErasing.kept({ aliases, contentsAt, recordsAt: [] }, yield* SwitchedOn)
  const open = yield* Effect.map(Effect.context<Settings.Settings>(), (context) =>
    Effect.provideContext(Embedded.open({ ...files, published }), context)
  )
  return { kept, open } satisfies Erase.Place
})

const shortest = 3

const asked = (value: Option.Option<string>) =>
  Effect.gen(function* () {
    if (Option.isNone(value))
      return yield* usage("Say what to erase: --value TEXT, or --value - to give it on standard input.")
    const text = value.value === "-" ? (yield* piped).trim() : value.value
    if (text.length < shortest) return yield* usage(`--value must have at least ${shortest} characters.`)
    return text
  })

const usage = (cause: string) => Effect.fail(new CliError.UserError({ cause }))

const noTerminal =
  "Nothing was erased: standard input is no terminal, so no question can be asked. Give --yes to erase without one."
const question = "Erase it for good, from all of this? Nothing brings it back"

const agreed = Effect.gen(function* () {
  if (!process.stdin.isTTY) return yield* usage(noTerminal)
  return yield* Prompt.run(Prompt.Confirm({ message: question }))
})

const notErased = new Erase.EraseError({ message: "Nothing was erased." })

const afterwards = (but = ""): string =>
  `It is erased${but}. Start the worker: it makes the warehouse and the analysts' copy again, and the next export is a ` +
  "whole one. Backups still have it, as do copies that others have made, and the accounting system whatever was sent there."

export const erase = Command.make("erase", flags, ({ json: asJson, ...given }) =>
  Effect.gen(function* () {
    const where = yield* place
    const { dataDir } = yield* Settings.Settings
    const alone = Effect.provide(Lock.layerAt(dataDir))
    if (given.resume) {
      yield* alone(Erase.resume(where))
      return yield* Console.error(afterwards())
    }
    const value = yield* asked(given.value)
    const what = { value, field: Option.getOrNull(given.field), isWithin: given.within }
    const erasing = Effect.gen(function* () {
      const found = yield* Erase.look(where, what)
      yield* given.dryRun || !asJson ? Said.answer(asJson, page)(found) : Effect.void
      if (given.dryRun) return
      if (Option.isNone(given.reason)) return yield* usage("Say why: --reason TEXT, which is kept for good.")
      if (!given.yes && !(yield* agreed)) return yield* notErased
      const note = { by: given.by, reason: given.reason.value, removesExports: given.removeExports }
      const erased = yield* Erase.erase(where, what, note)
      if (asJson) yield* Said.answer(asJson, page)(erased)
      yield* Console.error(afterwards(", but for what stays"))
    })
    yield* alone(erasing)
  })
).pipe(
  Command.withDescription("Erase a value, such as a person's name, from everything; no worker may be running"),
  Command.withExamples([
    {
      command: 'siteledger erase --value "Ada Lovelace" --dry-run',
      description: "Show what would go, and what would stay"
    },
    {
      command: 'siteledger erase --value ada@example.org --within --reason "asked on 26 November" --remove-exports',
      description: "Erase an address, also from longer texts; it is asked once more"
    }
  ]),
  Command.provide(Layer.merge(lake, lists).pipe(Layer.provideMerge(Log.layerSettings)))
)

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((total, count) => total + count, 0)

const page = ({ changed, deliveries, exports, insideLonger, kept, setAside }: Erase.Found) => [
  `In ${Said.counted(deliveries, "delivery", "deliveries")} and ${Said.counted(sum(changed), "other row", "other rows")} of the store. ` +
    "The warehouse and the analysts' copy are made again.",
  ...(insideLonger === 0
    ? []
    : [
        `${Said.counted(insideLonger, "more has", "more have")} it within longer texts, where it stays without --within.`
      ]),
  ...Said.section(
    "Exports that go",
    exports.map(({ run, safeUntil }) => `${run}  ${safeUntil ?? "the newest"}`),
    "None."
  ),
  ...Said.section(
    "What stays in the store: the books, ids, and what says what a delivery is about",
    Object.entries(kept).map(([table, rows]) => `${table}  ${Said.counted(rows, "row", "rows")}`),
    "Nothing with it."
  ),
  ...Said.section("Files that nobody looks into: delete them yourself", setAside, "None.")
]
