/**
 * What happens to the service while its lists are walked: between two requests, records are added, change and go,
 * fields are added and change their type, pages become smaller, requests fail, and the service has outages. The dice
 * decide everything; at the end only the records stay changed.
 */
import { Effect } from "effect"
import type { Catalogue } from "../../sandbox/Catalogue.ts"
import type { FaultName as ResourceFault } from "../../sandbox/Catalogue/Faults.ts"
import type { FaultName } from "../../sandbox/Faults.ts"
import type { Sandbox } from "../../sandbox/Sandbox.ts"
import type { Dice } from "../../sandbox/Seed.ts"
import * as Json from "../../src/Domain/Json.ts"
import { pause } from "../../bench/Waiting.ts"

const shares = [
  "error-500",
  "error-502",
  "error-503",
  "reset",
  "cut-json",
  "html"
] as const satisfies ReadonlyArray<FaultName>

const resourceFaults: ReadonlyArray<ResourceFault> = [
  "other-type",
  "new-field",
  "no-field",
  "no-id",
  "object-id",
  "refused",
  "gone"
]

/** Names of new fields, and values for them and others. */
const names = ["colour", "Site Ref", "dueOn", "select", "_extra", "mass"] as const
const values = [
  "1",
  "-7.5",
  "12345678901234567890.123456",
  "true",
  "null",
  '"a text"',
  '"2026-11-20"',
  '"2026-11-20T03:00:00.5+01:00"',
  '{"a":[1.50,{"b":null}]}',
  "[]"
] as const

export interface Weather {
  readonly sandbox: Sandbox
  readonly catalogue: Catalogue
  readonly dice: Dice
  /** The resources whose lists are walked. */
  readonly resources: readonly [string, ...ReadonlyArray<string>]
  /** Fields that identify records or hold their times don't change. */
  readonly isFixed: (field: string) => boolean
}

/** The chance of an event after each answered request. */
const chance = 0.35

const answered = ({ sandbox }: Weather): number => Effect.runSync(sandbox.stats).requests.answered

/** Fields that a record gains, or that change their type. */
const given = (
  { catalogue, dice, isFixed, resources }: Weather,
  resource: string
): Readonly<Record<string, unknown>> => {
  if (dice.chance(0.5)) return {}
  const [record] = catalogue.truth(resource)
  const own = Object.keys(record?.listed ?? {}).filter((field) => !isFixed(field))
  const name = dice.chance(0.6) || own.length === 0 ? dice.pick(names) : (own[dice.below(own.length)] ?? resources[0])
  return { [name]: dice.chance(0.1) ? undefined : Json.parse(dice.pick(values)) }
}

const edit = (weather: Weather): void => {
  const { catalogue, dice, resources } = weather
  const resource = dice.pick(resources)
  const edits = {
    inserts: dice.below(4),
    updates: dice.below(5),
    deletes: dice.below(4),
    given: given(weather, resource)
  }
  catalogue.edit(resource, edits, Date.now())
}

const one = (weather: Weather): void => {
  const { catalogue, dice, resources, sandbox } = weather
  const { faults } = sandbox
  const what = dice.below(100)
  if (what < 70) edit(weather)
  else if (what < 80) faults.set("page-size-clamp", dice.pick([0, 2, 3, 5]))
  else if (what < 87) faults.set(dice.pick(shares), dice.pick([0, 0, 0.1, 0.3]))
  else if (what < 95) {
    const fault = resourceFaults[dice.below(resourceFaults.length)]
    catalogue.faults.set(dice.pick(resources), dice.chance(0.5) ? fault : undefined)
  } else if (what < 97) faults.set("churn", dice.below(2))
  else if (what < 99) faults.set("rate-limit", 1 + dice.below(3))
  else faults.set("outage", 1)
}

/** Until this many requests are answered, or this much time has passed. Returns how often something happened. */
export const storm = async (weather: Weather, requests: number, mostMs: number): Promise<number> => {
  const from = performance.now()
  const first = answered(weather)
  let [seen, happened] = [first, 0]
  while (seen - first < requests && performance.now() - from < mostMs) {
    await pause(1)
    const now = answered(weather)
    for (; seen < now; seen++) {
      if (!weather.dice.chance(chance)) continue
      one(weather)
      happened++
    }
  }
  return happened
}

/** Ends all faults. */
export const calm = ({ catalogue, resources, sandbox: { faults } }: Weather): void => {
  for (const name of [...shares, "page-size-clamp", "churn", "rate-limit", "outage"] as const) faults.set(name, 0)
  for (const resource of resources) catalogue.faults.set(resource, undefined)
}
