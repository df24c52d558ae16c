/**
 * A service's list for walks, in memory: records in order, pages cut from it when they are requested, a hook before each
 * answer in which a test may change the list. Requested pages are noted.
 */
import { Effect } from "effect"
import { changesOf } from "../../connectors/construction/ConstructionChanges.ts"
import * as Instant from "../../src/Domain/Instant.ts"
import { type Page, type PagedList, SourceError } from "../../src/Walk/Source.ts"

export interface ListModel extends PagedList {
  readonly ids: Array<number>
  readonly asked: Array<number>
  nameOf: (id: number) => string
  /** Called before a page is cut. */
  onAsk: (page: number) => void
  /** Larger pages are cut down to this. */
  largest: number
  /** Sizes above `largest` are refused instead. */
  refuses: boolean
  ignoresPage: boolean
}

/** Each answer is a second later than the previous one. */
const firstMicros = Date.UTC(2026, 10, 20) * 1000

export const listModel = (ids: ReadonlyArray<number>, options: Partial<ListModel> = {}): ListModel => {
  const model: ListModel = {
    resource: "projects",
    ids: [...ids],
    asked: [],
    nameOf: (id) => `Project ${id}`,
    onAsk: () => undefined,
    largest: 10,
    refuses: false,
    ignoresPage: false,
    fetch: (page, perPage) => Effect.suspend(() => answer(model, page, perPage ?? 5)),
    ...options
  }
  return model
}

const answer = (model: ListModel, asked: number, perPage: number): Effect.Effect<Page, SourceError> => {
  if (model.refuses && perPage > model.largest) {
    return Effect.fail(new SourceError({ reason: "PageSizeRefused", message: "too large" }))
  }
  model.onAsk(asked)
  model.asked.push(asked)
  const page = model.ignoresPage ? 1 : asked
  const size = Math.min(perPage, model.largest)
  const at = firstMicros + model.asked.length * 1_000_000
  const records = model.ids
    .slice((page - 1) * size, page * size)
    .map((id) => (id < 0 ? { name: "without an id" } : { id, name: model.nameOf(id), status: "awarded" }))
  const raw = {
    records,
    total: model.ids.length,
    page,
    perPage: size,
    observedMicros: at,
    receivedAt: Instant.fromMicros(at),
    sha256: String(at).padStart(64, "0")
  }
  return Effect.succeed(changesOf(raw))
}
