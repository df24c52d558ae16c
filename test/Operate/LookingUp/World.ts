/** Workers that look up, over a real Store and a real warehouse, and a service that answers as a test wants. */
import { createHash } from "node:crypto"
import { Effect, Layer } from "effect"
import type { CertificatePlaces } from "../../../src/Domain/Certificate.ts"
import type { Change } from "../../../src/Domain/Change.ts"
import * as Version from "../../../src/Domain/Version.ts"
import type { Copies } from "../../../src/Ledger/Copies.ts"
import type { Ledger } from "../../../src/Ledger/Ledger.ts"
import { LookingUp } from "../../../src/Operate/LookingUp.ts"
import { Reasons } from "../../../src/Runtime/Reasons.ts"
import type { Store } from "../../../src/Stores/Store.ts"
import type { Warehouse } from "../../../src/Stores/Warehouse.ts"
import { type Detail, Details, type Single } from "../../../src/Walk/Details.ts"
import { SourceError } from "../../../src/Walk/Source.ts"
import { at, folder, stores } from "../../Ledger/Started.ts"

const places: CertificatePlaces = { id: "/id", amount: "/certified", at: "/on", url: "/url" }

export const recordOf = (id: string, certified: string, on = at(1)): string =>
  `{"id": "${id}", "certified": ${certified}, "on": "${on}", "url": "https://c/${id}", "draft": 7}`

const changeOf = (id: string, sha256: string): Change => ({
  entity: "ipcs",
  id,
  version: Version.make(1_790_000_000_000_000, 0, sha256),
  source: "page",
  seenAt: at(60),
  values: { draft_amount: "7.0000" },
  misfits: {},
  extra: {}
})

const singleOf = (id: string, text: string): Single => {
  const sha256 = createHash("sha256").update(text).digest("hex")
  const version = Version.make(1_790_000_000_000_000, 0, sha256)
  return { path: `/ipcs/${id}`, change: changeOf(id, sha256), text, sha256, version, receivedAt: at(60) }
}

type Answering = (id: string) => Effect.Effect<string, SourceError>

export const absent = Effect.fail(new SourceError({ reason: "Refused", isAbsent: true, message: "404" }))

/** What a test has a worker ask. */
export const detailOf = (answer: Answering) => {
  const asked: Array<string> = []
  const detail: Detail = {
    resource: "ipcs",
    read: "GET /ipcs/{id}",
    certificate: places,
    fetch: (id, lane) =>
      Effect.suspend(() => {
        asked.push(lane === "lookup" ? id : `${id} in ${lane}`)
        return Effect.map(answer(id), (text) => singleOf(id, text))
      })
  }
  return { asked, detail }
}

type Services = Copies | Ledger | LookingUp | Reasons | Store | Warehouse

/** One start of a worker that looks up. */
export const looking = <A, E>(path: string, detail: Detail, body: Effect.Effect<A, E, Services>) => {
  const all = LookingUp.layer.pipe(
    Layer.provideMerge(stores(path)),
    Layer.provideMerge(Reasons.layer),
    Layer.provideMerge(Layer.succeed(Details, [detail]))
  )
  return Effect.scoped(Effect.provide(body, all, { local: true }))
}

/** Until it is so. */
export const until = <A, E, R>(look: Effect.Effect<A, E, R>, isSo: (found: A) => boolean): Effect.Effect<A, E, R> =>
  Effect.flatMap(look, (found) =>
    isSo(found) ? Effect.succeed(found) : Effect.andThen(Effect.sleep("10 millis"), until(look, isSo))
  )

export const inFolder = <A, E>(body: (path: string) => Effect.Effect<A, E>) =>
  Effect.scoped(Effect.flatMap(folder, body))
