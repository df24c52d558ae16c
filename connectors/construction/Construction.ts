/**
 * The Source: the service's lists, page by page (interface document §2, §4.1): the one that the document shows, and
 * those that a person has switched on. A page that isn't in the expected shape is requested again as a whole. For lists
 * with look-ups, also single records.
 */
import { hash } from "node:crypto"
import { Context, Effect, Layer } from "effect"
import { HttpClientRequest } from "effect/http"
import { ServiceSettings } from "../../config/Settings.ts"
import { SwitchedOn } from "../../src/Discovery/Resources.ts"
import type { List } from "../../src/Discovery/Review.ts"
import * as Erasure from "../../src/Domain/Erasure.ts"
import { Subscription } from "../../src/Intake/Subscription.ts"
import { Skew } from "../../src/Operate/Skew.ts"
import { Seal } from "../../src/Runtime/Seal.ts"
import { Erasing } from "../../src/Stores/Erasures.ts"
import { Details } from "../../src/Walk/Details.ts"
import { type ChildList, type PagedList, type SerialList, Source } from "../../src/Walk/Source.ts"
import { isUnchanged } from "./ConstructionAnswer.ts"
import { changesOf } from "./ConstructionChanges.ts"
import { type AskOne, detailOf } from "./ConstructionDetail.ts"
import { erasedOf, single } from "./ConstructionErasing.ts"
import { type Ask, below, serial } from "./ConstructionSerial.ts"
import { type Answer, ConstructionClient, type Send } from "./ConstructionClient.ts"
import { type Asked, readList, readPage, unchanged } from "./ConstructionPages.ts"
import { Forms } from "./ConstructionRecords.ts"
import * as Requests from "./ConstructionRequests.ts"
import { projectsShape, shapeOf } from "./ConstructionShapes.ts"

const shown =
  ({ page, perPage }: Asked): Send =>
  (api) =>
    api.projects.list({
      query: { page, ...(perPage === undefined ? {} : { per_page: perPage }) },
      responseMode: "response-only"
    })

const sent =
  ({ headers, path, query }: Requests.Request): Send =>
  (_api, http) =>
    http.execute(HttpClientRequest.get(path, { headers, urlParams: query }))

/** A list that a person has described may be described wrongly: it is asked this many times before its walk says so. */
const ofList = { misread: 4 }
/** The service may be unable to return one record, while others wait. */
const ofRecord = { failures: 3 }

/** The purpose of a field's hash. */
const purpose = "field of a list"

/** What the lists have in common. */
interface Way extends Pick<
  ServiceSettings["Service"],
  "baseUrl" | "envelope" | "fieldAliases" | "pageSize" | "walkEvery"
> {
  readonly call: ConstructionClient["Service"]["call"]
  readonly hashOf: (text: string) => string
  readonly erasing: (typeof Erasing)["Service"]
}

const erasedIn = ({ erasing }: Way, table: string) => erasing && erasedOf(erasing, table)

const documented = (way: Way): PagedList => {
  const { call, envelope, fieldAliases } = way
  const given = { erased: erasedIn(way, "projects") }
  const shape = projectsShape(fieldAliases, envelope.list)
  const forms = new Forms()
  return {
    resource: "projects",
    fetch: (page, perPage, lane) => {
      const asked = { page, perPage }
      const read = (answer: Answer) => readPage(answer, shape, { asked, forms })
      return Effect.map(call(lane, shown(asked), read), (found) => changesOf(found, shape, given))
    }
  }
}

const numbered = (way: Way, list: List): Pick<PagedList, "fetch"> => {
  const { call, hashOf } = way
  const given = { hashOf, erased: erasedIn(way, list.table) }
  const forms = new Forms()
  let made: ReturnType<typeof shapeOf> | undefined
  return {
    fetch: (page, perPage, lane, since) => {
      // For hundreds of lists, making all at a start takes a quarter of a second.
      const shape = (made ??= shapeOf(list))
      const asked = Requests.asked(list, page, perPage)
      const read = (answer: Answer) => readPage(answer, shape, { asked, forms })
      const found = call(lane, sent(Requests.of(list, asked, perPage, since)), read, ofList)
      return Effect.map(found, (raw) => changesOf(raw, shape, given)).pipe(
        Effect.catchIf(isUnchanged, () =>
          Effect.map(unchanged, (none) => ({ ...none, total: 0, page, perPage: perPage ?? 1 }))
        )
      )
    }
  }
}

type Following = Pick<SerialList, "follow" | "isCounted"> | Pick<ChildList, "followBelow" | "isCounted" | "parent">

const following = (way: Way, list: List): Following => {
  const { baseUrl, call, hashOf, pageSize } = way
  const shape = shapeOf(list)
  const forms = new Forms()
  const ask: Ask = (lane, request, read) =>
    call(lane, sent(request), (answer) => Effect.flatMap(readList(answer, shape, forms), read), ofList)
  const reading = { list, shape, ask, base: baseUrl, pageSize, hashOf, erased: erasedIn(way, list.table) }
  return list.parent === undefined ? serial(reading) : below(reading, list.parent)
}

/** Identifies a way of reading a list. */
const definitionOf = ({ answer, columns, headers, key, paging, parent, query, read }: List): string => {
  const fields = columns.map(({ from, name, parameter, type, use }) => [name, type, use, from, parameter])
  return hash("sha256", JSON.stringify([read, key, parent, query, headers, answer, paging, fields]))
}

/**
 * Erased data doesn't come back through a list either: values are removed from all answers, records from those of their
 * list.
 */
const withoutErased = (rules: ReadonlyArray<Erasure.Erased>, read: Erasure.Read | undefined) => {
  const redact = Erasure.redactor(rules)
  return (answer: Answer): Answer => {
    const text = redact && read && Erasure.redactText(answer.text, redact, read)
    if (text === undefined) return answer
    const { body: _body, ...rest } = answer
    return { ...rest, text }
  }
}

/** Only values are removed from page texts; a record is handled when it is read. */
const inPages = (erasing: (typeof Erasing)["Service"]) =>
  withoutErased(
    erasing?.all.filter(Erasure.isValue) ?? [],
    erasing && { ...Erasure.plain, isKept: erasing.reads.answers }
  )

/** For a record that is looked up, its text is stored too. */
const looking = (way: Way, lists: ReadonlyArray<List>, list: List) => {
  const rules = way.erasing?.all.filter(Erasure.isOfRecord) ?? []
  const without = withoutErased(rules, single(lists, list, { aliases: way.fieldAliases, contentsAt: [] }))
  const ask: AskOne = (lane, request, read) =>
    way.call(lane, sent(request), (answer) => read(without(answer)), ofRecord)
  return detailOf(list, ask, way.hashOf)
}

const make = Effect.gen(function* () {
  const client = yield* ConstructionClient
  const skew = yield* Skew
  const subscription = yield* Subscription
  const seal = yield* Seal
  const settings = yield* ServiceSettings
  const erasing = yield* Erasing
  const without = inPages(erasing)
  const way: Way = {
    ...settings,
    erasing,
    hashOf: (text) => seal.hash(text, purpose),
    // Subscribe first, then walk: what changes during the walk arrives as events.
    call: (lane, send, read, most) =>
      Effect.andThen(
        subscription.attempted,
        client.call(
          lane,
          send,
          (answer) => {
            skew.answered(answer.serviceMs, answer.startedMs, answer.endedMs)
            return read(without(answer))
          },
          most
        )
      )
  }
  const lists = yield* SwitchedOn
  const isReviewed = lists.some(({ table }) => table === "projects")
  const switchedOn = lists.map((list) => ({
    resource: list.table,
    ...Requests.refreshed(list, settings.walkEvery),
    definition: definitionOf(list),
    ...(Requests.isNumbered(list) ? numbered(way, list) : following(way, list))
  }))
  const lookedUp = lists.filter(({ lookUp }) => lookUp?.on === true).map((list) => looking(way, lists, list))
  return Context.make(Source, { lists: [...(isReviewed ? [] : [documented(way)]), ...switchedOn] }).pipe(
    Context.add(Details, lookedUp)
  )
})

export const layer: Layer.Layer<Source, never, ConstructionClient | Seal | ServiceSettings | Skew | Subscription> =
  Layer.effectContext(make)
