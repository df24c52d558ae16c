/**
 * Events of the kinds that move no money, and the rows that a worker which has applied them leaves in the warehouse, as
 * SQL that both engines compute from numbers. A store of millions is therefore ready in minutes. The rows equal those
 * of a real worker: `test/bench/AppliedFill.test.ts` compares them. Pure.
 */
import * as Literal from "../src/Domain/Literal.ts"
import { type Life, livesOf, type Said, type Told } from "./AppliedLives.ts"
import type * as Engine from "./Engine.ts"

/** A field of every event that no table has: SQL of a text that needs no escapes in JSON. */
const usualNote = Literal.text(
  "Measured on site with the engineer's representative; quantities as per the joint record sheets."
)

/** All events lie within a year, however many there are. */
const firstMs = Date.UTC(2025, 10, 1)
const yearMs = 365 * 24 * 60 * 60 * 1000
/** From an event to its delivery. */
const delayMs = 2000

export interface Filling {
  readonly lives: keyof typeof livesOf
  readonly series: string
  /** A multiple of `atATime`. */
  readonly count: number
  /** SQL that replaces the usual note; it may use `k`. */
  readonly note?: string
}

/** In stores that already have deliveries. */
export interface Made extends Filling {
  /** The number of the delivery before the first one. */
  readonly after: number
}

interface Kind extends Told {
  readonly life: Life
  readonly stage: number
  /** Its position among all events about a number. */
  readonly place: number
}

const kindsOf = (lives: Made["lives"]): ReadonlyArray<Kind> =>
  livesOf[lives]
    .flatMap((life: Life) => life.events.map((event, place) => ({ ...event, life, stage: place + 1 })))
    .map((kind, place) => ({ ...kind, place }))

/** Events are made in whole lives: this many for each number. */
export const atATime = (lives: Made["lives"]): number => kindsOf(lives).length

const stepMs = ({ count }: Made): number => Math.floor(yearMs / count)

/** SQL that the engines spell differently. `t`: a timestamp without a zone, in UTC. */
export interface Spelling {
  readonly numbers: (from: number, to: number) => string
  readonly quotient: (of: string, by: number) => string
  readonly sha256: (text: string) => string
  /** Makes a timestamp of milliseconds since 1970. */
  readonly timestamp: (ms: string) => string
  /** As text, to the millisecond or to the microsecond. */
  readonly instant: (t: string, digits: 3 | 6) => string
  readonly json: (text: string) => string
  /** Appended to a subquery, so that its values are computed once, however often they are used. */
  readonly once: string
}

export const spellings: Readonly<Record<typeof Engine.name, Spelling>> = {
  duckdb: {
    numbers: (from, to) => `range(${from}, ${to}) numbers(n)`,
    quotient: (of, by) => `${of} // ${by}`,
    sha256: (text) => `sha256(${text})`,
    timestamp: (ms) => `epoch_ms(${ms})`,
    instant: (t, digits) => `strftime(${t}, '%Y-%m-%dT%H:%M:%S.${digits === 3 ? "%g" : "%f"}Z')`,
    json: (text) => text,
    once: ""
  },
  postgres: {
    numbers: (from, to) => `generate_series(${from}::bigint, ${to - 1}) numbers(n)`,
    quotient: (of, by) => `${of} / ${by}`,
    sha256: (text) => `encode(sha256(convert_to(${text}, 'UTF8')), 'hex')`,
    timestamp: (ms) => `timestamp '1970-01-01' + (${ms}) * interval '1 millisecond'`,
    instant: (t, digits) => `to_char(${t}, 'YYYY-MM-DD"T"HH24:MI:SS.${digits === 3 ? "MS" : "US"}"Z"')`,
    json: (text) => `(${text})::json`,
    once: "offset 0"
  }
}

/** When the event with this number happened, in milliseconds, as SQL. */
const msOf = (made: Made, n: string): string => `${firstMs} + (${n}) * ${stepMs(made)}`

const isNumber = ({ type }: Said): boolean => type === "bigint" || type === "decimal(10, 2)"

const contentsOf = ({ says }: Told): string =>
  says
    .map((each) => {
      const [before, after] = isNumber(each) ? ["", ""] : ['"', '"']
      return `'"${each.field}":${before}' || (${each.value}) || '${after},'`
    })
    .join(" || ")

/** The body of an event of this kind about `k`, which happened at `t`. */
const bodyOf = (made: Made, spelling: Spelling, kind: Kind, t: string): string =>
  [
    `'{"event_type":"${kind.type}","event_timestamp":"' || ${spelling.instant(t, 3)} || '"'`,
    `',"${kind.life.key}":"${made.series}-' || k || '",'`,
    contentsOf(kind),
    `'"note":"' || ${noteOf(made)} || '"}'`
  ].join(" || ")

const noteOf = ({ note = usualNote }: Made): string => `(${note})`

/** Chooses by the event's position among those about its number. */
const choice = ({ lives }: Made, of: (kind: Kind) => string): string =>
  `case n % ${atATime(lives)} ${kindsOf(lives)
    .map((kind) => `when ${kind.place} then ${of(kind)}`)
    .join(" ")} end`

const uuid = [1, 9, 13, 17, 21].map((from, place) => `substr(sha, ${from}, ${place === 4 ? 12 : place === 0 ? 8 : 4})`)

/**
 * Every property of each event: number, type, table, id, body, hash, the event's id, when it happened and when it
 * arrived.
 */
export const events = (made: Made, spelling: Spelling, from: number, to: number): string => `
  select *, ${uuid.join(" || '-' || ")} as event_id, t + interval '${delayMs} milliseconds' as received
  from (
    select n, k, t, body, ${choice(made, ({ type }) => `'${type}'`)} as type, ${choice(made, ({ life }) => `'${life.table}'`)} as entity,
      '${made.series}-' || k as id, ${spelling.sha256("body")} as sha
    from (
      select n, k, t, ${choice(made, (kind) => bodyOf(made, spelling, kind, "t"))} as body
      from (
        select n, ${spelling.quotient("n", atATime(made.lives))} as k, ${spelling.timestamp(msOf(made, "n"))} as t
        from ${spelling.numbers(from, to)} ${spelling.once}
      ) as numbered ${spelling.once}
    ) as told ${spelling.once}
  ) as hashed ${spelling.once}`

/** The time of a delivery, for a label. */
export const receivedMs = (made: Made, n: number): number => firstMs + n * stepMs(made) + delayMs

export const eventRows = (made: Made, spelling: Spelling, from: number, to: number): string => `
  insert into construction.events (body_sha256, sequence, event_id, event_type, event_timestamp, entity, entity_id, payload,
    issued_at, received_at, deliveries, outcome, reason, alarms)
  select sha, ${made.after + 1} + n, event_id, type, t, entity, id, body, null, received, 1, 'applied', null,
    ${spelling.json("'[]'")}
  from (${events(made, spelling, from, to)}) as given`

/** For numbers with whole lives: when each event about them happened, its version and its hash, by its stage. */
const hashed = (made: Made, spelling: Spelling, of: ReadonlyArray<Kind>, from: number, to: number): string => {
  const each = (what: (kind: Kind) => string): string => of.map(what).join(", ")
  const ms = ({ place }: Kind): string => msOf(made, `n * ${atATime(made.lives)} + ${place}`)
  const body = (kind: Kind): string => bodyOf(made, spelling, kind, `t_${kind.stage}`)
  const numbered = `
    select n as k, ${each((kind) => `${ms(kind)} as ms_${kind.stage}, ${spelling.timestamp(ms(kind))} as t_${kind.stage}`)}
    from ${spelling.numbers(from, to)} ${spelling.once}`
  const told = `
    select k, ${each(({ stage }) => `ms_${stage}, t_${stage}`)},
      ${each((kind) => `${spelling.sha256(body(kind))} as sha_${kind.stage}`)}
    from (${numbered}) as numbered ${spelling.once}`
  return `
    select k, ${each(({ stage }) => `t_${stage}, ms_${stage} || '000.${stage}.' || substr(sha_${stage}, 1, 16) as version_${stage}`)}
    from (${told}) as told`
}

const rowsOf = (made: Made, spelling: Spelling, life: Life, from: number, to: number): string => {
  const of = kindsOf(made.lives).filter((kind) => kind.life === life)
  const last = of.length
  const fields = of.flatMap(({ at, says, stage }) =>
    [at, ...says.map(({ column }) => column)].map((name) => [name, stage] as const)
  )
  const clocks = [...fields, ["+note", last] as const, ["_deleted_at", last] as const]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, stage]) => `'"${name}":"' || version_${stage} || '"'`)
    .join(" || ',' || ")
  const values = of.flatMap(({ at, says, stage }) => [
    [at, `t_${stage}`] as const,
    ...says.map(({ column, type, value }) => [column, `(${value})::${type}`] as const)
  ])
  return `
    insert into construction.${life.table}
      (id, status, ${values.map(([column]) => column).join(", ")}, _extra, _clocks, _first_seen_at, _changed_at)
    select '${made.series}-' || k, '${life.status}', ${values.map(([, value]) => value).join(", ")},
      ${spelling.json(`'{"note":"' || ${noteOf(made)} || '"}'`)}, ${spelling.json(`'{' || ${clocks} || '}'`)},
      t_1 + interval '${delayMs} milliseconds', t_${last} + interval '${delayMs} milliseconds'
    from (${hashed(made, spelling, of, from, to)}) as given`
}

/** The rows of the numbers whose events are exactly these. */
export const entityRows = (made: Made, spelling: Spelling, from: number, to: number): ReadonlyArray<string> => {
  const each = atATime(made.lives)
  return livesOf[made.lives].map((life) => rowsOf(made, spelling, life, from / each, to / each))
}

/** The tables that the events fill. */
export const tables: ReadonlyArray<string> = ["events", ...livesOf.all.map(({ table }) => table)]
