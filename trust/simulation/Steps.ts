/**
 * What happens on a simulated day, as data: a list of steps at their times, made from a seed before the day begins. Each
 * step stands alone, so a failing day can be shortened by leaving steps out.
 */
import type { EntityName } from "../../src/Domain/Resource.ts"
import { type Random, seeded } from "../../test/Seeded.ts"

/** The fate of one attempt to deliver. */
export type Attempt = "ok" | "request-lost" | "answer-lost" | "twice"

/** How a body reaches the worker. */
export interface Sending {
  /** Any attempts after these are ok. `undefined`: no attempt arrives. */
  readonly attempts: ReadonlyArray<Attempt> | undefined
  readonly delayMs: number
  /** A retry comes under another id. */
  readonly isReplayed: boolean
}

export interface Happening extends Sending {
  readonly kind: "event"
  readonly type: string
  readonly entity: EntityName
  readonly id: string
  /** The number of its stage in the life of the entity. */
  readonly stage: number
  readonly stageAt: string
  /** Column → value. */
  readonly values: Readonly<Record<string, string>>
  /** Its own time, relative to that of the step. */
  readonly shiftMs: number
  /** Makes its body unique. */
  readonly number: number
  /** It has the event id of another event. */
  readonly reuses: boolean
}

export type Step = { readonly atMs: number } & (
  | Happening
  | ({ readonly kind: "unreadable"; readonly number: number; readonly replayAt: number | undefined } & Sending)
  | { readonly kind: "project"; readonly id: number; readonly name: string | undefined }
  | { readonly kind: "crash"; readonly effects: number; readonly downMs: number; readonly isPowerCut: boolean }
  | { readonly kind: "clock"; readonly byMs: number }
  | { readonly kind: "service"; readonly forMs: number; readonly how: "500" | "429" | "silent" | "cut" }
  | { readonly kind: "sink"; readonly forMs: number; readonly how: SinkFault }
  | { readonly kind: "warehouse"; readonly failures: number; readonly refuses: string | undefined }
  | { readonly kind: "lake"; readonly failures: number }
)

/** `some`: every other entry is refused, and all are answered at the same moment. */
export type SinkFault = "some" | "503" | "429" | "silent" | "taken-silent" | "cut" | "taken-cut" | "422"

/** The entity whose events the engine refuses at times. */
export const refusedId = "vos-2"

export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

/** The times of the attempts to deliver. */
export const offsetsMs = [0, 1, 5, 30, 120].map((minutes) => minutes * minuteMs)

const stageNames = {
  ipcs: ["created", "submitted", "certified", "paid"],
  vos: ["created", "priced", "agreed", "absorbed"],
  ncrs: ["created", "closed"],
  permits: ["issued", "expiring"]
} as const

type Simulated = keyof typeof stageNames

const typeOf = (entity: Simulated, stage: number): string =>
  `${{ ipcs: "ipc", vos: "vo", ncrs: "ncr", permits: "permit" }[entity]}.${stageNames[entity][stage]}`

const amount = (random: Random): string => `${1 + random.below(6)}.${random.pick(["0000", "2500"])}`

const valuesOf = (entity: Simulated, stage: number, id: string, random: Random): Readonly<Record<string, string>> => {
  const project = random.chance(0.6) ? { project_id: String(1 + random.below(3)) } : {}
  if (entity === "ipcs") {
    if (stage === 0) return { ...project, draft_amount: amount(random) }
    if (stage === 1) return { ...project, submitter: "Ana", submitted_amount: amount(random) }
    if (stage === 2) return { ...project, certified_amount: amount(random), certificate_url: `https://c/${id}` }
    return { ...project, payment_reference: random.chance(0.85) ? `PAY-${id}` : `PAY-${id}-B` }
  }
  if (entity === "vos") {
    if (stage === 0) return { ...project, description: `work ${random.below(5)}` }
    if (stage === 1) return { ...project, total_cost_impact: amount(random) }
    if (stage === 2) return { ...project, final_amount: amount(random) }
    return { ...project, boq_revision: `R${random.below(9)}` }
  }
  if (entity === "ncrs")
    return stage === 0 ? { severity: random.pick(["minor", "major"]) } : { closure_date: "2026-11-20" }
  return stage === 0 ? { validity: "8 h" } : { hours_until_expiry: random.pick(["1.50", "2.00"]) }
}

const sending = (random: Random): Sending => ({
  attempts: random.chance(0.04)
    ? undefined
    : Array.from({ length: random.pick([0, 0, 1, 2, 3]) }, () =>
        random.pick(["request-lost", "answer-lost", "twice", "ok"] as const)
      ),
  delayMs: random.pick([0, 0, 50, 400, 3_000]),
  isReplayed: random.chance(0.1)
})

/** How many IPCs are paid on a payday. */
const paid = 5
/**
 * From an event to its first attempt. Certificates come late, so that many change payments that were already posted.
 */
const minutes = [0, 0, 1, 5, 60, 180]
const lateMinutes = [0, 20, 60, 120, 180, 240, 300, 360, 480, 600]

const happening = (random: Random, number: number, atMs: number): Step => {
  const entity = random.pick(["ipcs", "ipcs", "ipcs", "vos", "ncrs", "permits"] as const)
  const id = `${entity}-${1 + random.below(entity === "ipcs" ? 4 : 3)}`
  const stage = entity === "ipcs" ? random.pick([0, 1, 2, 2, 2, 2, 3, 3]) : random.below(stageNames[entity].length)
  return event(random, { number, atMs, entity, id, stage })
}

interface Event {
  readonly number: number
  readonly atMs: number
  readonly entity: Simulated
  readonly id: string
  readonly stage: number
}

const event = (random: Random, { number, atMs, entity, id, stage }: Event): Step => {
  const isFuture = entity !== "ipcs" && random.chance(0.15)
  return {
    atMs,
    kind: "event",
    type: typeOf(entity, stage),
    entity,
    id,
    stage: stage + 1,
    stageAt: entity === "ncrs" && stage === 0 ? "created_at" : `${stageNames[entity][stage]}_at`,
    values: valuesOf(entity, stage, id, random),
    shiftMs: isFuture ? (25 + random.below(5)) * hourMs : -random.pick(stage === 2 ? lateMinutes : minutes) * minuteMs,
    number,
    ...sending(random),
    reuses: random.chance(0.05)
  }
}

/** Many are paid at once, so that their entries are sent at once. */
const payday = (random: Random, number: number, atMs: number): ReadonlyArray<Step> =>
  Array.from({ length: 2 * paid }, (_, index) =>
    event(random, {
      number: number + index,
      atMs,
      entity: "ipcs",
      id: `ipcs-${5 + (index % paid)}`,
      stage: index < paid ? 2 : 3
    })
  )

const disturbance = (random: Random, number: number, atMs: number): Step => {
  const forMs = random.pick([2_000, 20_000, 5 * minuteMs, 30 * minuteMs])
  switch (random.below(18)) {
    case 0:
      return { atMs, kind: "clock", byMs: random.pick([-1, 1]) * random.pick([2_000, 90_000, hourMs, 5 * hourMs]) }
    case 1:
    case 2:
      return { atMs, kind: "service", forMs, how: random.pick(["500", "429", "silent", "cut"]) }
    case 3:
    case 4:
    case 5: {
      const how = random.pick([
        "some",
        "some",
        "503",
        "429",
        "silent",
        "taken-silent",
        "cut",
        "taken-cut",
        "422"
      ] as const)
      // Some last into the next burst, so that several entries of an IPC wait.
      const sinkMs = random.chance(0.3) ? 4 * hourMs : forMs
      return { atMs, kind: "sink", forMs: how === "422" ? 2_000 : sinkMs, how }
    }
    case 6:
    case 13:
    case 14:
      return { atMs, kind: "warehouse", failures: random.below(4), refuses: random.chance(0.5) ? refusedId : undefined }
    case 7:
      return { atMs, kind: "lake", failures: 1 + random.below(2) }
    case 8:
    case 15:
      return { atMs, kind: "unreadable", number, ...sending(random), replayAt: undefined }
    case 16:
    case 17:
      return { atMs, kind: "unreadable", number, ...sending(random), attempts: ["answer-lost"], replayAt: 1 }
    default: {
      const downMs = random.pick([1_000, 10_000, 10 * minuteMs, hourMs, 9 * hourMs])
      return { atMs, kind: "crash", effects: 1 + random.below(160), downMs, isPowerCut: random.chance(0.3) }
    }
  }
}

const project = (random: Random, atMs: number): Step => ({
  atMs,
  kind: "project",
  id: 1 + random.below(9),
  name: random.chance(0.3) ? undefined : `Project ${random.below(100)}`
})

/** A project is removed before a walk continues that was killed while it read the project. */
const brief = (random: Random, id: number, atMs: number): ReadonlyArray<Step> => [
  { atMs, kind: "project", id, name: "Brief" },
  { atMs, kind: "crash", effects: 15 + random.below(50), downMs: random.pick([10_000, 600_000]), isPowerCut: false },
  { atMs: atMs + 8_000, kind: "project", id, name: undefined }
]

/** The steps of a seed's day, in bursts. */
export const stepsOf = (seed: number): ReadonlyArray<Step> => {
  const random = seeded(seed)
  const steps: Array<Step> = Array.from({ length: 5 }, () => ({
    ...project(random, 0),
    name: `Project ${random.below(9)}`
  }))
  const bursts = 5 + random.below(5)
  const payBurst = random.below(2 * bursts)
  let number = 2 * paid
  for (let burst = 0; burst < bursts; burst++) {
    const beginMs = Math.floor((dayMs / bursts) * burst) + random.below(hourMs)
    if (random.chance(0.1)) steps.push(...brief(random, 10 + burst, beginMs))
    if (burst === payBurst) steps.push(...payday(random, 1, beginMs))
    for (let count = 4 + random.below(5); count > 0; count--) {
      const atMs = beginMs + random.pick([0, 0, 0, 1, 200, 5_000, 20_000])
      const kind = random.below(10)
      steps.push(
        kind < 6
          ? happening(random, ++number, atMs)
          : kind < 8
            ? disturbance(random, ++number, atMs)
            : project(random, atMs)
      )
    }
  }
  return steps.toSorted((a, b) => a.atMs - b.atMs)
}

/** A day in which less happens proves nothing, and doesn't count. */
export const isBusy = (steps: ReadonlyArray<Step>): boolean =>
  steps.filter(({ kind }) => kind === "event").length >= 8 &&
  steps.some(({ kind }) => kind !== "event" && kind !== "project")
