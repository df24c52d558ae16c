/**
 * What open dashboards receive, as Server-Sent Events: Status, and each event once its rows are written.
 *
 * However many are open, the worker looks once a second, and not at all while none is. A dashboard that reads slowly
 * gets the newest state and every event since the last one that it saw, as long as that is among the newest 2,000;
 * nothing accumulates for it.
 */
import { Context, Effect, Layer, PubSub, RcRef, Schedule, Stream } from "effect"
import * as Sse from "effect/encoding/Sse"
import * as Json from "../../Domain/Json.ts"
import type { Answer, Payload } from "../AdminApi.ts"
import { latest } from "../Events.ts"
import { Status } from "../Status.ts"

type Event = Answer<"events">["events"][number]

/** What was seen at the last look. */
interface Look {
  /** The report as JSON; a sentence if Status couldn't be determined. */
  readonly status: { readonly report: string } | { readonly error: string }
  /** The newest, in stored order. */
  readonly events: ReadonlyArray<Event>
  /** The sequence up to which events were looked at; undefined until the warehouse can be read. */
  readonly through: number | undefined
}

export class Feed extends Context.Service<
  Feed,
  {
    /**
     * For one dashboard that has seen all events up to `after`; undefined if it has seen none. Ends when the dashboard
     * stops reading.
     */
    readonly from: (after: number | undefined) => Stream.Stream<string>
  }
>()("siteledger/Feed") {
  static readonly layer = Layer.effect(
    Feed,
    Effect.suspend(() => make)
  )
}

const lookEvery = "1 second"

/** How many events a dashboard starts with. */
const firstEvents = 100
const mostKept = 2000

const message = (event: string, data: string, id?: string): string =>
  Sse.encoder.write({ _tag: "Event", event, id, data })

const statusMessage = ({ status }: Look): string =>
  "error" in status ? message("trouble", Json.stringify({ error: status.error })) : message("status", status.report)

const eventsMessage = (known: ReadonlyArray<Event>, through: number, after: number | undefined): string => {
  const fresh = after === undefined ? known.slice(-firstEvents) : known.filter(({ sequence }) => sequence > after)
  return message("events", Json.stringify({ through, events: fresh }), String(through))
}

/** What a dashboard is sent of a look, given what it was sent before. */
interface Told {
  readonly after: number | undefined
  readonly status: string
}

const nothing: Told = { after: undefined, status: "" }

const tell = (before: Told, look: Look): readonly [Told, ReadonlyArray<string>] => {
  const status = statusMessage(look)
  const said = status === before.status ? [] : [status]
  const { through } = look
  const isNews = through !== undefined && (before.after === undefined || through > before.after)
  const told = isNews ? [...said, eventsMessage(look.events, through, before.after)] : said
  // Otherwise a broken proxy or network wouldn't be noticed.
  return [{ after: isNews ? through : before.after, status }, told.length === 0 ? [":\n\n"] : told]
}

const make = Effect.gen(function* () {
  const status = yield* Status
  const needed = yield* Effect.context<Effect.Services<ReturnType<typeof latest>>>()
  const ask = (wanted: Payload<"events">) => Effect.provideContext(latest(wanted), needed)

  /** If anything fails there, the next look may succeed. */
  const reported = Effect.match(status.report, {
    onSuccess: (report) => ({ report: Json.stringify(report) }),
    onFailure: ({ message: error }) => ({ error })
  }).pipe(Effect.catchDefect(() => Effect.succeed({ error: "Status can't be read now." })))

  /** While the warehouse can't be read, the earlier events are all that is known. */
  const after = ({ events: known, through }: Look) =>
    ask(through === undefined ? { last: firstEvents } : { after: through }).pipe(
      Effect.map((found) => ({ through: found.through, events: [...known, ...found.events].slice(-mostKept) })),
      Effect.catch(() => Effect.succeed({ through, events: known })),
      Effect.catchDefect(() => Effect.succeed({ through, events: known }))
    )

  /** Looks as long as a dashboard is open. */
  const looking = Effect.gen(function* () {
    const looks = yield* PubSub.sliding<Look>({ capacity: 1, replay: 1 })
    let last: Look = { status: { error: "" }, events: [], through: undefined }
    const look = Effect.gen(function* () {
      last = { ...(yield* after(last)), status: yield* reported }
      yield* PubSub.publish(looks, last)
    })
    yield* Effect.forkScoped(Effect.repeat(look, Schedule.spaced(lookEvery)))
    return looks
  })
  const shared = yield* RcRef.make({ acquire: looking })

  /** What a dashboard missed while it wasn't connected. */
  const missed = (seen: number | undefined) =>
    seen === undefined
      ? Effect.succeed({ told: nothing, messages: [] })
      : Effect.match(ask({ after: seen }), {
          onSuccess: (found) => ({
            told: { ...nothing, after: found.through },
            messages: [message("events", Json.stringify(found), String(found.through))]
          }),
          onFailure: () => ({ told: { ...nothing, after: seen }, messages: [] })
        })

  const from = (seen: number | undefined) =>
    Stream.unwrap(
      Effect.gen(function* () {
        const looks = yield* RcRef.get(shared)
        const { messages, told } = yield* missed(seen)
        return Stream.concat(
          Stream.fromArray(messages),
          Stream.mapAccum(Stream.fromPubSub(looks), () => told, tell)
        )
      })
    )
  return Feed.of({ from })
})
