/**
 * How a metric is described that is read on demand: its name, its labels, and its values. Pure.
 */
import * as Instant from "../../Domain/Instant.ts"
import type { StatusReport } from "../AdminApi/StatusReport.ts"

export interface Facts {
  readonly report: StatusReport
  readonly nowMs: number
}

export interface Sample {
  readonly value: number
  readonly labels?: Readonly<Record<string, string>>
}

/** Null if the metric has no value now. */
type Given = number | null | ReadonlyArray<Sample>

/** `F`: what it is read from. */
export interface Family<F = Facts> {
  readonly name: string
  readonly type: "counter" | "gauge"
  readonly says: string
  readonly labels: ReadonlyArray<string>
  /** For OTLP; Prometheus has it in the name. */
  readonly unit: "bytes" | "seconds" | undefined
  readonly of: (facts: F) => ReadonlyArray<Sample>
}

const samples = (given: Given): ReadonlyArray<Sample> =>
  typeof given === "number" ? [{ value: given }] : (given ?? [])

const family =
  (type: Family["type"]) =>
  <F = Facts>(name: string, says: string, labels: ReadonlyArray<string>, of: (facts: F) => Given): Family<F> => ({
    name,
    type,
    says,
    labels,
    unit: (["bytes", "seconds"] as const).find((unit) => new RegExp(`_${unit}(_total)?$`).test(name)),
    of: (facts) => samples(of(facts))
  })

export const gauge = family("gauge")

/** Since the start of the process; its name ends with `_total`. */
export const counter = family("counter")

/** A sample for each of these. */
export const each = <A>(
  all: Readonly<Record<string, A>>,
  label: string,
  value: (one: A) => number | null
): ReadonlyArray<Sample> =>
  Object.entries(all).flatMap(([name, one]) => {
    const shown = value(one)
    return shown === null ? [] : [{ value: shown, labels: { [label]: name } }]
  })

/** `tooLarge` and `too-large` become `too_large`. */
export const snake = (name: string): string =>
  name.replaceAll("-", "_").replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

/** 1 for the one that applies. */
export const oneOf = (all: ReadonlyArray<string>, label: string, is: string): ReadonlyArray<Sample> =>
  all.map((one) => ({ value: one === is ? 1 : 0, labels: { [label]: one } }))

/** Since 1970. */
export const secondsOf = (at: string | null): number | null => (at === null ? null : Instant.toMicros(at) / 1_000_000)
