/**
 * `siteledger discover`: what the service's OpenAPI document offers to sync, as a table and as a review file that a
 * person edits. `--diff OLD` compares two documents, `--seen` compares a document with what arrived; both write
 * nothing, and exit with 1 if something is unsafe.
 */
import { join, resolve } from "node:path"
import { Console, Effect, Option, Runtime, Schema } from "effect"
import { Argument, CliError, Command, Flag } from "effect/cli"
import * as Address from "../config/Address.ts"
import * as Settings from "../config/Settings.ts"
import { lists as shown } from "../connectors/construction/ConstructionApi.ts"
import { type Difference, compare } from "../src/Discovery/Compare.ts"
import { discover as discoverIn, type Discovered } from "../src/Discovery/Discovery.ts"
import { revise } from "../src/Discovery/Review/Revise.ts"
import { compareSeen } from "../src/Discovery/Seen.ts"
import { entityNames } from "../src/Domain/Resource.ts"
import { visible } from "../src/Query/Text.ts"
import { viewNames } from "../src/Stores/Views.ts"
import { tables } from "../src/Stores/WarehouseTables.ts"
import { documentAt } from "./discover/Read.ts"
import * as ReviewFile from "../src/Discovery/ReviewFile.ts"
import { seenIn } from "./discover/SeenRows.ts"
import { describe, describeChanges } from "./discover/Show.ts"
import { json, optionalText, toggle } from "./Options.ts"
import * as Print from "./Print.ts"

/** The changes have been printed. */
class Unsafe extends Schema.TaggedError<Unsafe>()("Unsafe", { message: Schema.String }) {
  override readonly [Runtime.errorReported] = false
}

const parameters = {
  document: Argument.String("document").pipe(
    Argument.withDescription("An OpenAPI document, JSON or YAML: a path or a URL (default: SITELEDGER_OPENAPI)"),
    Argument.optional
  ),
  review: Flag.String("review").pipe(
    Flag.withDescription("The review file (default resources.json)"),
    Flag.withDefault("resources.json")
  ),
  dryRun: toggle("dry-run", "Write no review file"),
  diff: optionalText("diff", "Compare with this older document instead: --diff OLD NEW"),
  seen: toggle("seen", "Compare with the data in the published copy instead"),
  all: toggle("all", "Show all lists"),
  json
}

type Given = Effect.Success<typeof Settings.discovery>

const placeOf = (text: string) =>
  Effect.mapError(
    Effect.fromResult(Address.document(text)),
    (sentence) => new CliError.UserError({ cause: `The document ${sentence}` })
  )

/** All tables and views except those of resources, to which a list may add. */
const taken: ReadonlySet<string> = new Set(
  [...tables.map(({ name }) => name), ...viewNames].filter((name) => !entityNames.some((entity) => entity === name))
)

const discovered = (given: Given, place: Address.Location) =>
  Effect.map(documentAt(place), (document) =>
    discoverIn(document, {
      plan: { requestsPerMinute: given.requestsPerMinute, pageSize: given.pageSize },
      shown: new Set(shown),
      taken,
      ...Option.match(given.baseUrl, {
        onNone: () => ({}),
        onSome: ({ pathname }) => ({ base: pathname.replace(/\/$/, "") })
      })
    })
  )

const noDocument = new CliError.UserError({ cause: "Name the document, or set SITELEDGER_OPENAPI." })

export const discover = Command.make("discover", parameters, (flags) =>
  Effect.gen(function* () {
    const given = yield* Settings.discovery
    const place = yield* Option.match(flags.document, {
      onNone: () => Effect.mapError(Effect.fromOption(given.openapi), () => noDocument),
      onSome: placeOf
    })
    if (flags.seen && Option.isSome(flags.diff)) return yield* oneOfBoth
    const found = yield* discovered(given, place)
    if (flags.seen) return yield* tell(yield* since(given, found), flags.json)
    if (Option.isNone(flags.diff)) return yield* reviewed(found, flags)
    const older = yield* Effect.flatMap(placeOf(flags.diff.value), (each) => discovered(given, each))
    yield* tell(compare(older, found), flags.json)
  })
).pipe(
  Command.withDescription("Discover what the service's OpenAPI document offers to sync, into a file for review"),
  Command.withExamples([
    {
      command: "siteledger discover openapi.json --dry-run",
      description: "What the document offers, without writing a file"
    },
    {
      command: "siteledger discover --diff old.json openapi.json",
      description: "What a new version of it would change"
    }
  ])
)

const oneOfBoth = new CliError.UserError({ cause: "--diff and --seen are mutually exclusive." })

const since = ({ dataDir }: Given, { review }: Discovered) =>
  Effect.map(seenIn(join(dataDir, "analytics.duckdb"), review.lists), (seen) =>
    review.lists.flatMap((list) => {
      const those = seen.get(list.table)
      return those === undefined ? [] : compareSeen(list, those)
    })
  )

const tell = Effect.fnUntraced(function* (changes: ReadonlyArray<Difference>, asJson: boolean) {
  yield* asJson ? Print.document(changes) : Console.log(describeChanges(changes).join("\n"))
  const unsafe = changes.filter(({ verdict }) => verdict === "unsafe").length
  if (unsafe > 0) return yield* new Unsafe({ message: `${unsafe} of the changes are unsafe.` })
})

interface Asked {
  readonly review: string
  readonly dryRun: boolean
  readonly all: boolean
  readonly json: boolean
}

const reviewed = Effect.fnUntraced(function* (found: Discovered, { all, dryRun, json: asJson, review: file }: Asked) {
  const path = resolve(file)
  const written = yield* ReviewFile.read(path)
  const { changes, review } = Option.match(written, {
    onNone: () => ({ changes: [], review: found.review }),
    onSome: (before) => revise(before, found.review)
  })
  const isNew = dryRun ? false : yield* ReviewFile.write(path, review)
  const { notes, operations } = found
  if (asJson) return yield* Print.document({ file: dryRun ? null : path, changes, notes, operations, review })
  const width = process.stdout.isTTY ? process.stdout.columns : undefined
  yield* Console.log(describe(found, review, { all, width }).join("\n"))
  yield* Effect.forEach(changes, (change) => Console.log(visible(change)), { discard: true })
  const on = review.lists.filter((list) => list.on).length
  const what = `${review.lists.length} lists, ${on} on`
  if (dryRun) return yield* Console.error("Nothing was written.")
  yield* Console.error(
    isNew ? `${path} is written: ${what}. Edit it, and keep it in version control.` : `${path} is up to date: ${what}.`
  )
})
