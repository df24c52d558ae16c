/**
 * The actions of the administration, as data. Each has one path (under `/admin` for forms, under `/admin/api` for
 * scripts), one effect, and a result for a person and for a script.
 */
import { Effect, Option, Schema } from "effect"
import { isFaultName, type FaultName } from "../Faults.ts"
import { complaint } from "../Subscriptions.ts"
import { type Administered, deliveryNumber, type Listed, numbered, subscription } from "./Administered.ts"
import * as Api from "./Api.ts"
import { html, type Shown } from "./Html.ts"
import { root } from "./Page.ts"
import { Refused } from "./Refused.ts"
import { secretOnce } from "./WebhookViews.ts"
import * as Wording from "./Wording.ts"

export interface Done {
  readonly status: 200 | 201 | 202
  /** For a script. */
  readonly body: unknown
  /** For a person, with the page that they see next. */
  readonly notice: Shown
  readonly location: string
}

/** The fields of the request: from a form, a query or a JSON object. */
export type Given = Readonly<Record<string, unknown>>

export interface Action {
  readonly path: `/${string}`
  /** `id`: the path's `:id`. */
  readonly run: (world: Administered, id: string, given: Given) => Effect.Effect<Done, Refused>
}

const Creation = Schema.Struct({
  url: Schema.String,
  events: Schema.optionalKey(Schema.Union([Schema.Array(Schema.String), Schema.String]))
})

/** The requested webhook, as far as the request can be read. */
export const creation = (given: Given): { readonly url: string; readonly events: ReadonlyArray<string> } => {
  const read = Option.getOrUndefined(Schema.decodeUnknownOption(Creation)(given))
  const events = read?.events ?? []
  return { url: read?.url ?? "", events: typeof events === "string" ? [events] : events }
}

const create: Action = {
  path: "/subscriptions",
  run: Effect.fnUntraced(function* (world, _id, given) {
    const { events, url } = creation(given)
    const wrong = complaint(url, events)
    if (wrong !== undefined) return yield* new Refused({ status: 400, message: wrong })
    const made = yield* world.simulation.subscribe(url, events)
    const id = world.subscriptions.all().indexOf(made) + 1
    return {
      status: 201,
      body: { ...Api.subscription(world, { ...made, id }), secret: made.secret },
      notice: secretOnce(made.secret, `Webhook ${id} created.`),
      location: `${root}/subscriptions/${id}`
    }
  })
}

type OnSubscription = (
  world: Administered,
  found: Listed
) => Effect.Effect<Pick<Done, "notice"> & { readonly body?: object; readonly location?: string }>

const onSubscription = (name: string, act: OnSubscription): Action => ({
  path: `/subscriptions/:id/${name}`,
  run: Effect.fnUntraced(function* (world, id) {
    const found = subscription(world, numbered(id))
    if (found === undefined) return yield* new Refused({ status: 404, message: "there is no such webhook" })
    const { body, location = `${root}/subscriptions/${found.id}`, notice } = yield* act(world, found)
    const now = subscription(world, found.id)
    return {
      status: 200,
      body: { ...(now === undefined ? { id: found.id, state: "deleted" } : Api.subscription(world, now)), ...body },
      notice,
      location
    }
  })
})

const pause = onSubscription("pause", ({ simulation }, { id }) =>
  Effect.as(simulation.setState(id - 1, "paused"), { notice: "Paused: its deliveries wait." })
)

const resume = onSubscription("resume", ({ simulation }, { id }) =>
  Effect.as(simulation.setState(id - 1, "active"), { notice: "Resumed: due deliveries are being sent." })
)

const fireTest = onSubscription("test", ({ simulation }, { id, state }) =>
  Effect.as(simulation.fireTest(id - 1), {
    notice:
      state === "paused"
        ? html`A <code>webhook.test</code> waits until the webhook is resumed.`
        : html`A <code>webhook.test</code> is on its way.`
  })
)

const rotateSecret = onSubscription("secret", ({ simulation }, { id }) =>
  Effect.map(simulation.rotateSecret(id - 1), (secret = "") => ({
    notice: secretOnce(secret, "The old secret is no longer used."),
    body: { secret }
  }))
)

const remove = onSubscription("delete", ({ deliveries, simulation }, { id }) =>
  Effect.gen(function* () {
    const { waiting } = deliveries.countsOf(id - 1)
    yield* simulation.setState(id - 1, "deleted")
    const dropped = waiting === 0 ? "" : ` ${Wording.counted(waiting, "delivery", "deliveries")} dropped.`
    return {
      notice: `Webhook ${id} deleted.${dropped}`,
      body: { dropped: waiting },
      location: `${root}/subscriptions`
    }
  })
)

const replay: Action = {
  path: "/deliveries/:id/replay",
  run: Effect.fnUntraced(function* (world, id) {
    const { deliveries } = world
    const number = deliveryNumber(world, id)
    if (deliveries.find(number) === undefined) {
      return yield* new Refused({ status: 404, message: "there is no such delivery" })
    }
    if (!(yield* deliveries.replay(number))) {
      return yield* new Refused({
        status: 409,
        message: "only failed deliveries of existing webhooks can be replayed"
      })
    }
    return {
      status: 202,
      body: { id, state: "waiting" },
      notice: `Delivery ${number} is being sent again.`,
      location: `${root}/deliveries/${id}`
    }
  })
}

const replayAll: Action = {
  path: "/deliveries/replay",
  run: Effect.fnUntraced(function* ({ deliveries }, _id, given) {
    const only = given["subscription"] === undefined ? undefined : numbered(String(given["subscription"])) - 1
    const failed = deliveries.list("failed").filter((each) => only === undefined || each.subscription === only)
    const replayed = (yield* Effect.forEach(failed, ({ id }) => deliveries.replay(id))).filter(Boolean).length
    return {
      status: 202,
      body: { replayed },
      notice: `${Wording.counted(replayed, "failed delivery is", "failed deliveries are")} being sent again.`,
      location: `${root}/deliveries?state=failed`
    }
  })
}

const Measure = Schema.Struct({
  value: Schema.Union([Schema.Finite, Schema.FiniteFromString]),
  /** Without it, the value is in the fault's own unit: a share is from 0 to 1. */
  unit: Schema.optionalKey(Schema.Literal("percent"))
})

const noFault = new Refused({ status: 404, message: "there is no such fault" })
const noValue = new Refused({ status: 400, message: "value must be a number" })

const measured = (given: Given): Effect.Effect<number, Refused> =>
  Schema.decodeUnknownEffect(Measure)(given).pipe(
    Effect.mapBoth({
      onFailure: () => noValue,
      onSuccess: ({ unit, value }) => (unit === "percent" ? value / 100 : value)
    })
  )

const faultDone = (world: Administered, name: FaultName): Done => {
  const fault = world.faults.all().find((each) => each.name === name)
  const value = fault?.value ?? 0
  return {
    status: 200,
    body: { name, value },
    notice: `${fault?.title}: ${value === 0 ? "off" : "on"}.`,
    location: `${root}/faults`
  }
}

const setFault: Action = {
  path: "/faults/:id",
  run: Effect.fnUntraced(function* (world, id, given) {
    if (!isFaultName(id)) return yield* noFault
    world.faults.set(id, yield* measured(given))
    return faultDone(world, id)
  })
}

const endFault: Action = {
  path: "/faults/:id/off",
  run: Effect.fnUntraced(function* (world, id) {
    if (!isFaultName(id)) return yield* noFault
    world.faults.set(id, 0)
    return faultDone(world, id)
  })
}

const endFaults: Action = {
  path: "/faults/off",
  run: (world) =>
    Effect.sync(() => {
      for (const { name } of world.faults.all()) world.faults.set(name, 0)
      return { status: 200, body: Api.faults(world), notice: "All faults are off.", location: `${root}/faults` }
    })
}

export const actions: ReadonlyArray<Action> = [
  create,
  pause,
  resume,
  fireTest,
  rotateSecret,
  remove,
  replay,
  replayAll,
  setFault,
  endFault,
  endFaults
]
