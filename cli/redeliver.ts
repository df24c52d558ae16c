/**
 * `siteledger redeliver --to URL`: redelivers what this store holds to another worker's receiver. For a return to an
 * older version (docs/installing.md): what a newer worker has taken since then reaches the older one's store. Exits
 * with 1 if the receiver refused any of it.
 */
import { Effect, Layer, Option, Runtime, Schema } from "effect"
import { CliError, Command, Flag } from "effect/cli"
import * as Settings from "../config/Settings.ts"
import { signing } from "../connectors/construction/ConstructionSigning.ts"
import * as Instant from "../src/Domain/Instant.ts"
import { redeliver as redelivered, type Redelivered } from "../src/Intake/Redelivery.ts"
import { layerHttp } from "../src/Runtime/Http.ts"
import { Lock } from "../src/Runtime/Lock.ts"
import * as Alone from "./Alone.ts"
import * as Log from "./Log.ts"
import { json, optionalText } from "./Options.ts"
import * as Said from "./Said.ts"

/** It has been printed. */
export class Refused extends Schema.TaggedError<Refused>()("Refused", { message: Schema.String }) {
  override readonly [Runtime.errorReported] = false
}

const flags = {
  to: Flag.String("to").pipe(
    Flag.withDescription(
      "The receiver of the worker that should get them: its SITELEDGER_WEBHOOK_LISTEN with the path of " +
        "SITELEDGER_WEBHOOK_URL (required)"
    )
  ),
  since: optionalText("since", "Only deliveries that arrived at this time or later, like 2026-11-20T02:00:00Z"),
  json
}

const bad = (cause: string) => new CliError.UserError({ cause })

const addressOf = (text: string) => {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol)
    ? Effect.succeed(url)
    : bad("--to must be an address, like http://127.0.0.1:8080/hooks.")
}

const timeOf = (text: Option.Option<string>) => {
  if (Option.isNone(text)) return Effect.undefined
  const micros = Instant.readMicros(text.value)
  return micros === undefined
    ? bad("--since must be a time, like 2026-11-20T02:00:00Z.")
    : Effect.succeed(Instant.fromMicros(micros))
}

const page = ({ refused, taken }: Redelivered) => [
  `Delivered ${Said.counted(taken, "event")} again.`,
  ...(refused === 0
    ? []
    : [
        `! ${Said.counted(refused, "event was", "events were")} refused: the worker there knows none of the secrets of this store, or ` +
          "they are too large for it. `siteledger secret list` shows the secrets on both sides."
      ])
]

/** Nothing else may write to the store meanwhile. */
const layer = Layer.merge(Alone.secrets, layerHttp).pipe(
  Layer.provideMerge(Layer.unwrap(Effect.map(Settings.Settings, ({ dataDir }) => Lock.layerAt(dataDir))))
)

export const redeliver = Command.make("redeliver", flags, ({ json: asJson, since, to }) =>
  Effect.gen(function* () {
    const [url, from] = [yield* addressOf(to), yield* timeOf(since)]
    const done = yield* Effect.provide(redelivered(signing, url, from), layer)
    yield* Said.answer(asJson, page)(done)
    if (done.refused > 0) return yield* new Refused({ message: "Some events were refused." })
  })
).pipe(
  Command.withDescription(
    "Deliver what this store holds to another worker's receiver, after a return to an older version"
  ),
  Command.withExamples([
    {
      command: "SITELEDGER_DATA_DIR=data-newer siteledger redeliver --to http://127.0.0.1:8080/hooks",
      description: "Everything that the newer version's store holds"
    },
    {
      command: "siteledger redeliver --to http://127.0.0.1:8080/hooks --since 2026-11-20T02:00:00Z",
      description: "Only what arrived since the backup"
    }
  ]),
  Command.provide(Log.layerSettings)
)
