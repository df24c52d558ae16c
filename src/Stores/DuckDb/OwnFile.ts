/**
 * The warehouse file that belongs to this Store: opened, or created and recorded in the Store.
 *
 * A file that was found damaged on reading, or that is missing, foreign or older, is set aside (kept) and rebuilt. A
 * file that can't be opened for another reason is left alone, and the error says what to do.
 */
import { existsSync } from "node:fs"
import { Clock, Effect } from "effect"
import { Store } from "../Store.ts"
import { WarehouseError } from "../Warehouse.ts"
import { attempt, noting } from "./Failure.ts"
import { isHeldByAnother, type Making, type OpenFile, openWarehouse } from "./File.ts"
import { type Obstacle, objectionIn, objectionTo, sentenceOf } from "./Opening.ts"
import { setAside } from "./SetAside.ts"
import * as Projection from "../Projection.ts"
import * as LogLine from "../../Runtime/LogLine.ts"

const held = (path: string, { cause, message }: WarehouseError) =>
  new WarehouseError({
    reason: "Held",
    message: `Another program has ${path} open. Close it (analysts read analytics.duckdb instead). ${message}`,
    cause
  })

const waiting = (path: string, obstacle: Obstacle) =>
  new WarehouseError({ reason: "Waiting", message: sentenceOf(path, obstacle) })

/** The file, or how it is damaged; fails if that can't be determined yet. */
const tryToOpen = Effect.fn("DuckDb.open")(function* (path: string, making?: Making) {
  const before = objectionTo(path)
  if (before?.kind === "damage") return before
  if (before !== undefined) return yield* waiting(path, before)
  const opened = yield* Effect.result(attempt(() => openWarehouse(path, making)))
  if (opened._tag === "Success") return { kind: "file", file: opened.success } as const
  if (isHeldByAnother(opened.failure.cause)) return yield* held(path, opened.failure)
  const found = objectionIn(opened.failure.message)
  return found.kind === "damage" ? found : yield* waiting(path, found)
})

/** Whether the next start can open the file, create it or set it aside; fails if it must wait. */
export const tryNext = Effect.fnUntraced(function* (path: string) {
  const before = objectionTo(path)
  if (before?.kind === "obstacle") return yield* waiting(path, before)
  // Only the next start creates it, because that records it in the Store.
  if (!existsSync(path)) return
  const opened = yield* tryToOpen(path)
  if (opened.kind === "file") yield* attempt(() => opened.file.close())
})

const makeAgain = Effect.fnUntraced(function* (path: string, making: Making) {
  const made = yield* tryToOpen(path, making)
  if (made.kind === "file") return made.file
  return yield* new WarehouseError({ reason: "Failed", message: `${path} can't be made again: ${made.why}.` })
})

/** `isNew`: it was just created. */
const openOrMake = Effect.fnUntraced(function* (path: string, making: Making) {
  const isNew = !existsSync(path)
  const opened = yield* tryToOpen(path, making)
  if (opened.kind === "file") return { file: opened.file, isNew }
  const kept = setAside(path, yield* Clock.currentTimeMillis)
  yield* LogLine.write("warehouse.replaced", { kept, why: opened.why })
  return { file: yield* makeAgain(path, making), isNew: true }
})

export const metaOf = (file: OpenFile) =>
  attempt(async () => {
    const rows = await file.db.selectFrom("siteledger.meta").selectAll().execute()
    const value = (key: string): string => rows.find((row) => row.key === key)?.value ?? ""
    return { id: value("id"), watermark: Number(value("applied_through")) }
  })

/** Damage encountered now is noted, so that the next start rebuilds the file. */
export const openOwn = (path: string, making: Making) => noting(path)(opened(path, making))

const opened = Effect.fn("DuckDb.openOwn")(function* (path: string, making: Making) {
  const store = yield* Store
  const opened = yield* openOrMake(path, making)
  let { file, isNew } = opened
  let meta = yield* metaOf(file)
  const verdict = yield* Projection.compare(store, meta)
  if (verdict.isFresh) {
    yield* Projection.adopt(store, meta.id)
  } else if (verdict.mismatch !== undefined) {
    yield* LogLine.write("warehouse.mismatched", { why: verdict.mismatch })
    if (!isNew) {
      yield* attempt(() => file.close())
      const kept = setAside(path, yield* Clock.currentTimeMillis)
      yield* LogLine.write("warehouse.kept", { kept })
      file = yield* makeAgain(path, making)
      isNew = true
      meta = yield* metaOf(file)
    }
    yield* Projection.startAgain(store, meta.id)
  }
  return { file, isNew, id: meta.id }
})
