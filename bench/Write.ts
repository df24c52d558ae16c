/**
 * Keeps the lines of a run in `last-run.jsonl`, where a benchmark's newer line replaces its older one, and writes
 * `docs/performance.md` from these lines, `Figures.ts` and `Limits.ts`.
 */
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { cpus, release, totalmem } from "node:os"
import { join } from "node:path"
import { engines } from "./Engine.ts"
import type { Figure } from "./Figure.ts"
import { figures } from "./Figures.ts"
import { type Growing, growing } from "./Growing.ts"
import { limits } from "./Limits.ts"

export interface Run {
  readonly bench: string
  readonly engine: string
  readonly isQuick: boolean
  /** The day of the run, and the machine that it ran on. */
  readonly on: string
  readonly machine: string
  readonly [name: string]: unknown
}

const file = join(import.meta.dirname, "last-run.jsonl")
const document = join(import.meta.dirname, "../docs/performance.md")

export const parsed = (text: string): ReadonlyArray<Run> =>
  text
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line) as Run)

/** The value at path `a.b` of a line; undefined if there is none. */
export const valueAt = (line: unknown, path: string): unknown =>
  path
    .split(".")
    .reduce<unknown>(
      (value, name) =>
        typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined,
      line
    )

const shown = (value: number): string =>
  Math.abs(value) >= 1000 ? Math.round(value).toLocaleString("en-US") : String(value)

const leastOn = (engine: string, { atLeast }: Figure): number | undefined =>
  typeof atLeast === "object" ? atLeast[engines.find((each) => each === engine) ?? "duckdb"] : atLeast

const isMissed = (value: number, engine: string, figure: Figure): boolean => {
  const { atMost } = figure
  const atLeast = leastOn(engine, figure)
  return (atLeast !== undefined && value < atLeast) || (atMost !== undefined && value > atMost)
}

/** A figure of one engine: its value, its least and greatest, and whether it misses its goal. */
export const cell = (line: Run | undefined, figure: Figure): string => {
  if (line === undefined) return "–"
  const whyNot = valueAt(line, "skipped") ?? valueAt(line, [...figure.at.split(".").slice(0, -1), "skipped"].join("."))
  if (typeof whyNot === "string") return `skipped: ${whyNot}`
  const value = valueAt(line, figure.at)
  if (typeof value !== "number") return line["failed"] === undefined ? "–" : "failed"
  const range = valueAt(line, `ranges.${figure.at}`)
  const [least, greatest] = Array.isArray(range) ? (range as ReadonlyArray<number>) : []
  const isRange = least !== undefined && greatest !== undefined && least !== greatest
  const unit = figure.unit === undefined ? "" : figure.unit.startsWith("/") ? figure.unit : ` ${figure.unit}`
  const text = `${shown(value)}${isRange ? ` (${shown(least)} to ${shown(greatest)})` : ""}${unit}`
  return isMissed(value, line.engine, figure) ? `${text}, missed` : text
}

const goal = ({ atLeast, atMost }: Figure): string => {
  if (typeof atLeast === "object") return `≥ ${engines.map((engine) => shown(atLeast[engine])).join(", ")}`
  return atLeast !== undefined ? `≥ ${shown(atLeast)}` : atMost !== undefined ? `≤ ${shown(atMost)}` : ""
}

const escaped = (text: string): string => text.replaceAll("|", "\\|").replaceAll("\n", " ")

const lineOf = (lines: ReadonlyArray<Run>, bench: string, engine: string): Run | undefined =>
  lines.find((line) => line.bench === bench && line.engine === engine)

const row = (lines: ReadonlyArray<Run>, figure: Figure): string => {
  const cells = engines.map((engine) => cell(lineOf(lines, figure.bench, engine), figure))
  return `| ${[figure.figure, ...cells, figure.of, goal(figure)].map(escaped).join(" | ")} |`
}

const numberAt = (line: Run | undefined, path: string): number | undefined => {
  const value = valueAt(line, path)
  return typeof value === "number" ? value : undefined
}

const grown = (lines: ReadonlyArray<Run>, { at, figure, unit, why }: Growing): string => {
  const each = engines.flatMap((engine) => {
    const line = lineOf(lines, "size", engine)
    const [small, large] = [numberAt(line, `small.${at}`), numberAt(line, `large.${at}`)]
    return small === undefined || large === undefined
      ? []
      : [
          `${engine} ${shown(small)} ${unit} with ${shown(numberAt(line, "small.stored") ?? 0)} events, ${shown(large)} ${unit} with ${shown(numberAt(line, "large.stored") ?? 0)}`
        ]
  })
  return `- ${figure} (${why}): ${each.length > 0 ? each.join("; ") : "not measured yet"}.`
}

const secondsOfDay = 86_400

/** What can be accepted and applied around the clock: the slower of the two. */
export const perDay = (lines: ReadonlyArray<Run>, engine: string): number | undefined => {
  const rates = [
    numberAt(lineOf(lines, "stream", engine), "sustained.perSecond"),
    numberAt(lineOf(lines, "size", engine), "large.burst.appliedPerSecond")
  ].filter((rate) => rate !== undefined)
  return rates.length === 0 ? undefined : Math.min(...rates) * secondsOfDay
}

const days = (lines: ReadonlyArray<Run>): string => {
  const each = engines.flatMap((engine) => {
    const count = perDay(lines, engine)
    return count === undefined ? [] : [`${(count / 1e6).toFixed(0)} million on ${engine}`]
  })
  return each.length === 0 ? "Not measured yet." : `One worker accepts and applies ${each.join(", ")}.`
}

/** One line for all benchmarks that ran on the same day, machine and scale. */
const runs = (lines: ReadonlyArray<Run>): ReadonlyArray<string> =>
  [
    ...Map.groupBy(
      lines,
      ({ isQuick, machine, on }) => `${on}${isQuick ? ", small and once (`--quick`)" : ""}, ${machine}`
    )
  ].map(([what, those]) => `- ${what}: ${those.map(({ bench, engine }) => `${bench} ${engine}`).join(", ")}`)

export const page = (lines: ReadonlyArray<Run>): string =>
  [
    "# How fast it is",
    "",
    "Generated by `npm run bench -- --write` from `bench/last-run.jsonl` and `bench/Figures.ts`. The benchmarks load",
    "`bin/siteledger start` with an independent generator, beside other programs in the same run. Values are medians of",
    "alternating rounds; where there were several rounds, brackets have the least and the greatest value. Ratios hold elsewhere;",
    "times and rates are this machine's. Applied means that rows and entries are committed (`inbox.pending`), not that",
    "analysts have a new copy.",
    "",
    ...runs(lines),
    "",
    "| figure | DuckDB and SQLite | PostgreSQL | of what | goal |",
    "|---|---|---|---|---|",
    ...figures.map((figure) => row(lines, figure)),
    "",
    "## What gets slower with size",
    "",
    ...growing.map((each) => grown(lines, each)),
    "",
    "## Where the limits are",
    "",
    ...limits.map(({ of, why }) => `- ${of}: ${why}.`),
    "",
    "## Deliveries a day",
    "",
    `${days(lines)} The receiver takes more as long as a burst lasts; deliveries that aren't applied yet wait in the inbox.`,
    ""
  ].join("\n")

const machine = (): string =>
  `${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, Linux ${release().split("-")[0]}, Node ${process.versions.node}`

/** `given`: JSON lines as they were printed. */
export const write = (given: ReadonlyArray<string>, isQuick: boolean): void => {
  const common = { isQuick, on: new Date().toISOString().slice(0, 10), machine: machine() }
  const fresh = given.map(
    (line) => ({ engine: "duckdb", ...(JSON.parse(line) as object), ...common }) as unknown as Run
  )
  const isReplaced = ({ bench, engine }: Run) => fresh.some((one) => one.bench === bench && one.engine === engine)
  const kept = existsSync(file) ? parsed(readFileSync(file, "utf8")) : []
  const lines = [...kept.filter((line) => !isReplaced(line)), ...fresh].toSorted((a, b) =>
    `${a.bench} ${a.engine}` < `${b.bench} ${b.engine}` ? -1 : 1
  )
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""))
  writeFileSync(document, page(lines))
}
