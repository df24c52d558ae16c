/**
 * Events as the service sends them, in the order of their arrival, which is mostly, but not always, the order in which
 * they happened.
 */
import { createHash } from "node:crypto"
import type { Dice } from "../../sandbox/Seed.ts"
import type { Told } from "../Tale.ts"
import type { Happening, Life, Phase } from "./Life.ts"

export interface Event extends Told {
  /** It is sent only once these have arrived. */
  readonly after: ReadonlyArray<Happening>
  readonly happening: Happening
}

/** As the service may write it: ISO 8601 in some time zone, or milliseconds. */
const written = (dice: Dice, at: number): string =>
  dice.pick([
    JSON.stringify(new Date(at).toISOString()),
    JSON.stringify(new Date(at + 4 * 3_600_000).toISOString().replace("Z", "+04:00")),
    String(at)
  ])

const uuid = /^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/

const eventOf = (dice: Dice, happening: Happening): Event => {
  const { at, fields, life, type } = happening
  const id = /^\d+$/.test(life.id) ? life.id : JSON.stringify(life.id)
  const all = Object.entries({ event_timestamp: written(dice, at), ipc_id: id, ...fields })
  const body = `{${all.map(([name, value]) => `"${name}":${value}`).join(",")}}`
  const sha256 = createHash("sha256").update(body).digest("hex")
  return {
    type,
    id: sha256.replace(uuid, "$1-$2-$3-$4-$5"),
    body,
    sha256,
    ipc: life.id,
    stage: type.replace("ipc.", "") as Told["stage"],
    amount: undefined,
    after: happening.after,
    happening
  }
}

/** How far events are out of order. */
const disorder = { share: 0.25, mostMs: 5 * 86_400_000 }

export const of = (lives: ReadonlyArray<Life>, phase: Phase, dice: Dice): ReadonlyArray<Event> =>
  lives
    .flatMap(({ happenings }) => happenings.filter((each) => each.phase === phase))
    .map((happening) => {
      const delay = dice.chance(disorder.share) ? dice.below(disorder.mostMs) : 0
      return { happening, at: happening.at + delay }
    })
    .toSorted((a, b) => a.at - b.at)
    .map(({ happening }) => eventOf(dice, happening))
