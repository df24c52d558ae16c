/**
 * Single records of the lists for which a person has look-ups: read by `detail` of the review file, and turned into the
 * same Change as if the list had shown them.
 */
import { Effect } from "effect"
import { certificatePlaces } from "../../src/Discovery/Review/LookUp.ts"
import type { List } from "../../src/Discovery/Review.ts"
import * as Version from "../../src/Domain/Version.ts"
import type { Detail, Single } from "../../src/Walk/Details.ts"
import type { Lane } from "../../src/Walk/Pace.ts"
import { SourceError } from "../../src/Walk/Source.ts"
import { changesOf } from "./ConstructionChanges.ts"
import type { Answer, NotAsPromised } from "./ConstructionClient.ts"
import { readOne } from "./ConstructionPages.ts"
import * as Requests from "./ConstructionRequests.ts"
import { shapeOf } from "./ConstructionShapes.ts"

/** Requests a record; `read` may refuse the answer. */
export type AskOne = <A>(
  lane: Lane,
  request: Requests.Request,
  read: (answer: Answer) => Effect.Effect<A, NotAsPromised>
) => Effect.Effect<A, SourceError>

/** A single record doesn't use the page's parameters. */
const shapeAlone = (list: List) => ({ ...shapeOf(list), parameters: [] })

export const detailOf = (list: List, ask: AskOne, hashOf: (text: string) => string): Detail => {
  const { detail: read = "", lookUp, table: resource } = list
  const shape = shapeAlone(list)
  return {
    resource,
    read,
    certificate: certificatePlaces(list),
    fetch: (id, lane) => {
      const request = Requests.single(list, id)
      if (request === undefined) return Effect.fail(noPath(read))
      const { path } = request
      return ask(lane, request, (answer) =>
        Effect.map(readOne(answer, path, lookUp?.record ?? ""), (raw): Single => {
          const [change] = changesOf(raw, shape, { hashOf }).changes
          return {
            path,
            change: change?.id === id ? change : undefined,
            text: answer.text,
            sha256: raw.sha256,
            version: Version.make(raw.observedMicros, 0, raw.sha256),
            receivedAt: raw.receivedAt
          }
        })
      )
    }
  }
}

const noPath = (read: string) =>
  new SourceError({ reason: "Refused", isAbsent: true, message: `${read} can't be asked for such an id.` })
