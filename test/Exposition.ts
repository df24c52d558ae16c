/**
 * The Prometheus text format as a program reads it, and what is wrong with a text. The conventions that `promtool check
 * metrics` checks are checked here too, because promtool isn't installed everywhere.
 */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { removeFolder, temporaryFolder } from "./Folders.ts"

export interface Family {
  readonly name: string
  readonly type: string
  readonly help: string
  /** By their names and labels, as written. */
  readonly samples: ReadonlyMap<string, number>
}

const labelsOf = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/([a-zA-Z_]\w*)="(?:[^"\\]|\\.)*"/g)].map(([, name = ""]) => name)

const sampleLine = /^([a-zA-Z_:][\w:]*)(\{.*\})? (\S+)$/

export const parse = (text: string): ReadonlyMap<string, Family> => {
  const families = new Map<string, Family>()
  let help = ""
  let family: { name: string; type: string; help: string; samples: Map<string, number> } | undefined
  for (const line of text.split("\n").slice(0, -1)) {
    const [, kind, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? []
    if (kind === "HELP") help = rest
    else if (kind === "TYPE") {
      if (families.has(name)) throw new Error(`${name} comes twice`)
      family = { name, type: rest, help, samples: new Map() }
      families.set(name, family)
      help = ""
    } else {
      const [, sample = "", labels = "", value = ""] = sampleLine.exec(line) ?? []
      if (family === undefined || !sample.startsWith(family.name)) throw new Error(`A line belongs to nothing: ${line}`)
      if (!/^([+-]?Inf|NaN|-?\d+(\.\d+)?(e[+-]?\d+)?)$/.test(value)) throw new Error(`No number: ${line}`)
      if (family.samples.has(sample + labels)) throw new Error(`A series comes twice: ${line}`)
      family.samples.set(sample + labels, value === "+Inf" ? Infinity : Number(value))
    }
  }
  return families
}

/** The sum of all series of a metric, or of those whose labels begin so; of a histogram, how many it has counted. */
export const valueOf = (text: string, name: string, labels = ""): number | undefined => {
  const family = parse(text).get(name.replace(/_(sum|count)$/, "")) ?? parse(text).get(name)
  const samples = family?.samples ?? new Map<string, number>()
  const found = [...samples].filter(([sample]) => {
    const [base = ""] = sample.split("{")
    return [name, `${name}_count`].includes(base) && sample.startsWith(`${base}${labels}`)
  })
  return found.length === 0 ? undefined : found.reduce((sum, [, value]) => sum + value, 0)
}

const otherUnits =
  /(^|_)(milliseconds|microseconds|nanoseconds|minutes|hours|days|weeks|kilobytes|megabytes|gigabytes|bits|percent|ms)(_|$)/

const complaintsAbout = ({ help, name, samples, type }: Family): ReadonlyArray<string> => [
  ...(help === "" ? [`${name}: no help`] : []),
  ...(/^[a-z]+(_[a-z0-9]+)*$/.test(name) ? [] : [`${name}: not in snake_case`]),
  ...(type === "counter" && !name.endsWith("_total") ? [`${name}: a counter without _total`] : []),
  ...(type !== "counter" && name.endsWith("_total") ? [`${name}: _total, but no counter`] : []),
  ...(["gauge", "counter"].includes(type) && /_(bucket|count|sum)$/.test(name)
    ? [`${name}: ends like a histogram`]
    : []),
  ...(/(^|_)(gauge|counter|histogram|summary)(_|$)/.test(name) ? [`${name}: has its type in its name`] : []),
  ...(otherUnits.test(name) ? [`${name}: not in a base unit`] : []),
  ...[...samples.keys()]
    .flatMap(labelsOf)
    .filter((label) => !/^[a-z]+(_[a-z0-9]+)*$/.test(label))
    .map((label) => `${name}: the label ${label}`)
]

export const complaints = (text: string): ReadonlyArray<string> => [...parse(text).values()].flatMap(complaintsAbout)

/** Why promtool can't be used; undefined: it can. */
export const isWithoutPromtool: string | undefined =
  spawnSync("promtool", ["--version"]).error === undefined
    ? undefined
    : "promtool isn't installed (Debian's package prometheus)"
if (isWithoutPromtool !== undefined) process.stderr.write(`skipped: what promtool says: ${isWithoutPromtool}\n`)

/** Promtool's complaints; empty where it isn't installed, because our own check has run before. */
export const promtool = (text: string): string =>
  isWithoutPromtool === undefined
    ? spawnSync("promtool", ["check", "metrics"], { input: text, encoding: "utf8" }).stderr
    : ""

/** Runs `promtool test rules` on such a file and others; returns its output and its exit code. */
export const testRules = async (files: Readonly<Record<string, string>>, tests: string) => {
  const folder = temporaryFolder()
  for (const [name, text] of Object.entries({ ...files, "tests.yml": tests })) writeFileSync(join(folder, name), text)
  // Asynchronously, because otherwise a connection that is kept alive would be closed meanwhile without being noticed.
  const promtool = spawn("promtool", ["test", "rules", "tests.yml"], { cwd: folder })
  let said = ""
  for (const stream of [promtool.stdout, promtool.stderr]) stream.on("data", (chunk: Buffer) => (said += String(chunk)))
  const [code] = (await once(promtool, "close")) as [number | null]
  removeFolder(folder)
  return { code, said }
}
