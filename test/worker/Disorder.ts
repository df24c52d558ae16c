/**
 * One history of events in any order, with duplicates, and the part of the warehouse that must not depend on the order.
 */
import { eventBody, eventTypes } from "../InterfaceServer.ts"
import { type Random, seeded } from "../Seeded.ts"
import { story } from "./Story.ts"
import type { Rows } from "./World.ts"

export interface Sent {
  readonly type: string
  readonly body: string
}

const random = seeded(7)
export const lives = story(random, 12).take(110)

/** All types of the document, some at the same instant, and bodies that produce no row. */
const others: ReadonlyArray<Sent> = [
  ...eventTypes
    .filter((type) => !/^(ipc|vo|ncr)\./.test(type))
    .flatMap((type) =>
      ["2026-11-01T08:00:00Z", "2026-11-01T08:00:00.000001Z", "2026-11-01T08:00:00Z"].map((event_timestamp, index) => ({
        type,
        body: eventBody(type, { event_timestamp, remark: `${type} ${index}`, [`only_${index}`]: index })
      }))
    ),
  {
    type: "hse.incident.reported",
    body: '{"incident_id": 801, "classification": null, "event_timestamp": 1761984001}'
  },
  { type: "permit.expiring", body: '{"permit_id": 901, "hours_until_expiry": "soon", "event_timestamp": 1761984002}' },
  { type: "rfi.created", body: '{"event_type": "rfi.created"}' },
  { type: "ipc.paid", body: "not JSON" }
]

const history: ReadonlyArray<Sent> = [...lives, ...others]

/** Everything at least once, in a random order, some of it several times. */
export const disorder = (of: Random): ReadonlyArray<Sent> => {
  const again = history.filter(() => of.chance(0.3))
  return of.shuffle([...history, ...again, ...again.slice(0, 10)])
}

export type Query = (text: string) => Promise<Rows>

const entities = ["projects", "ipcs", "vos", "ncrs", "hse_incidents", "permits", "transmittals"]
const ofEvents = "body_sha256, event_type, event_timestamp, entity, entity_id, payload, outcome, reason"

/** Everything that doesn't depend on when something arrived. */
export const outcome = async (query: Query): Promise<string> => {
  const tables: Record<string, unknown> = {
    events: await query(`select ${ofEvents} from construction.events where event_type <> 'webhook.ping' order by 1`)
  }
  for (const name of entities) {
    tables[name] = await query(`select * exclude (_first_seen_at, _changed_at) from construction.${name} order by id`)
  }
  return JSON.stringify(tables, null, 1)
}
