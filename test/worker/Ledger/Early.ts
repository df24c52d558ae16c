/**
 * IPCs that were certified before siteledger subscribed: a service in which half of the events have happened by then, a
 * worker with the review file as a person edits it, and between the two the answers that a test changes.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Sandbox } from "../../../sandbox/Sandbox.ts"
import type { List, Review } from "../../../src/Discovery/Review.ts"
import { entityNames } from "../../../src/Domain/Resource.ts"
import { Front } from "../../Front.ts"
import { removeFolder, temporaryFolder } from "../../Folders.ts"
import { run } from "../../RunningWorker.ts"
import { placeOf, startedOn } from "../SandboxWorld.ts"

const folder = Effect.acquireRelease(Effect.sync(temporaryFolder), (path) => Effect.sync(() => removeFolder(path)))

const frontOf = (origin: string) =>
  Effect.acquireRelease(
    Effect.promise(() => Front.start(origin)),
    (front) =>
      Effect.promise(async () => {
        await front[Symbol.asyncDispose]()
      })
  )

/** An IPC whose certificates came before a step, and its payment at or after it. */
interface Early {
  readonly id: string
  readonly amount: string
}

const fourDecimals = (json: string): string => {
  const [whole = "", decimals = ""] = json.split(".")
  return `${whole}.${decimals.padEnd(4, "0")}`
}

/** The IPCs of the first block of which a subscription after so many steps hears only that they are paid. */
const earlyAt = ({ events }: Sandbox, step: number): ReadonlyArray<Early> => {
  const steps = events.block(0).map((occurrence, number) => ({ ...occurrence, number }))
  const lives = Map.groupBy(
    steps.filter(({ entity }) => entity === "ipcs"),
    ({ id }) => id
  )
  return [...lives].flatMap(([id, life]) => {
    const certified = life.filter(({ type }) => type === "ipc.certified")
    const paid = life.find(({ type }) => type === "ipc.paid")
    if (paid === undefined || paid.number < step || certified.some(({ number }) => number >= step)) return []
    const [, amount = "0"] = certified.at(-1)?.contents.find(([name]) => name === "certified_amount") ?? []
    return [{ id, amount: fourDecimals(amount) }]
  })
}

/** One that no events tell of, and that needs nothing. */
const isOther = ({ confidence, kind, needs = [], table }: List): boolean =>
  kind === "list" && confidence === "high" && needs.length === 0 && !entityNames.some((name) => name === table)

/** The review file as a person edits it; returns another list that is on, too. */
const edit = (file: string, money: "signed-off" | "suggested", currency?: string): List => {
  const review = JSON.parse(readFileSync(file, "utf8")) as Review
  const other = review.lists.find(isOther) ?? assert.fail("no other list")
  const lists = review.lists.map((list) => {
    if (list === other) return { ...list, on: true }
    if (list.table !== "ipcs") return list
    const named = (place: string) =>
      list.columns.find(({ from, name }) => (from ?? `/${name}`) === place)?.name ?? place
    const columns = list.columns.map((column) => (column.name === "certified_amount" ? { ...column, money } : column))
    const certificate = {
      amount: named("/certified_amount"),
      at: named("/certified_at"),
      url: named("/certificate_url"),
      project: named("/project_id"),
      ...(currency === undefined ? {} : { currency })
    }
    const more = currency === undefined ? [] : [{ name: currency, type: "VARCHAR" as const, use: "keep" as const }]
    const lookUp = { on: true, certificate, paid: named("/paid_at") }
    return { ...list, on: true, columns: [...columns, ...more], lookUp }
  })
  writeFileSync(file, JSON.stringify({ ...review, lists }))
  return other
}

interface Given {
  readonly money: "signed-off" | "suggested"
  readonly currency?: string
  readonly environment?: Readonly<Record<string, string>>
  /** How much faster the service retries. */
  readonly timeScale?: number
}

/** A service in which half of all has happened, and a worker that has just subscribed. */
export const subscribed = (
  { currency, environment = {}, money, timeScale = 1 }: Given,
  front: (front: Front) => void = () => undefined
) =>
  Effect.gen(function* () {
    const sandbox = yield* Sandbox.start({
      openapi: "full",
      projects: 3,
      records: 2,
      ipcs: 40,
      eventsPerSecond: 0,
      duplicates: 0,
      disorder: 0,
      timeScale,
      plan: Infinity
    })
    const { authUrl, baseUrl, events, options } = sandbox
    const before = Math.floor(events.blockLength / 2)
    const early = earlyAt(sandbox, before)
    assert.isAbove(early.length, 3)
    yield* sandbox.emit(before)
    const between = yield* frontOf(new URL(baseUrl).origin)
    front(between)
    const place = yield* placeOf({ ...options, authUrl, baseUrl: between.at(baseUrl) })
    const review = join(yield* folder, "resources.json")
    const document = `${baseUrl}/openapi.json`
    const discovered = yield* Effect.promise(() => run(place.environment, "discover", document, "--review", review))
    assert.strictEqual(discovered.code, 0, discovered.stderr)
    const { scope, table: other } = edit(review, money, currency)
    const worker = yield* startedOn(place, {
      SITELEDGER_RESOURCES: review,
      SITELEDGER_SCOPES: `projects.read webhooks.write ipcs.read ${scope.join(" ")}`,
      SITELEDGER_REQUESTS_PER_MINUTE: "60000",
      ...environment
    })
    yield* Effect.promise(() =>
      worker.status("it is subscribed", ({ subscription }) => subscription.verifiedAt !== null)
    )
    const delivered = sandbox.deliveries.until(({ waiting }) => waiting === 0)
    /** What is left happens, and is delivered, or has failed for good. */
    const rest = Effect.andThen(sandbox.emit(events.blockLength - before), delivered)
    return { sandbox, early, other, place, worker, between, rest }
  })
