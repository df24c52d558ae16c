/**
 * Which alerts of ops/prometheus-rules.yml Prometheus would raise, according to a real one (promtool), from two scrapes
 * of a whole worker: one before a cause occurs, and one after. The passing of time is added: the first scrape holds for
 * an hour, the second from then on, while ages grow with the time. test/Operate/MetricsDocument.test.ts checks that
 * each alert is raised somewhere in this way.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { type Family, isWithoutPromtool, parse, testRules } from "./Exposition.ts"
import { root } from "./Tidy/Sources.ts"

export interface Course {
  /** For how long the cause lasts. */
  readonly hours?: number
  /** It comes again and again: counters grow by the same each step, and times move on where they did so between both scrapes. */
  readonly isRepeated?: boolean
}

interface Steps {
  readonly minutes: number
  readonly before: number
  readonly after: number
}

/** Not older than Prometheus looks back. */
const stepsOf = (hours: number): Steps => {
  const minutes = hours > 6 ? 5 : 1
  return { minutes, before: 60 / minutes, after: (hours * 60) / minutes }
}

const isAge = (name: string) => /_(age|oldest\w*)_seconds$/.test(name)
const isTime = (name: string) => name.endsWith("_timestamp_seconds")

/** Times count from the beginning of the course. */
const startOf = ({ before, minutes }: Steps): number => Date.now() / 1000 - before * minutes * 60

/** By how much a value grows with each step once the cause is there. */
const growth = ({ name, type }: Family, was: number, is: number, course: Course | undefined, { minutes }: Steps) => {
  if (isAge(name)) return course !== undefined && is > 0 ? minutes * 60 : 0
  if (course?.isRepeated !== true) return 0
  if (isTime(name)) return is > was ? minutes * 60 : 0
  return type === "counter" || type === "histogram" ? (is < was ? is : is - was) : 0
}

/** A constant value for this many steps; `_`: the series didn't exist. */
const stood = (value: number | undefined, steps: number) =>
  value === undefined ? `_x${steps}` : `${value}x${steps - 1}`

const seriesOf = (before: string, after: string, course: Course | undefined, steps: Steps) => {
  const start = startOf(steps)
  const [earlier, later] = [parse(before), parse(after)]
  const names = new Set([...earlier.keys(), ...later.keys()])
  return [...names].flatMap((name) => {
    const [was, is] = [earlier.get(name)?.samples, later.get(name)?.samples]
    const family = later.get(name) ?? earlier.get(name)
    const moved = (value?: number) => (value === undefined ? undefined : isTime(name) ? value - start : value)
    const series = new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])])
    return [...series].map((each) => {
      const [from, to] = [moved(was?.get(each)), moved(is?.get(each))]
      const slope = family === undefined || to === undefined ? 0 : growth(family, from ?? 0, to, course, steps)
      const values = to === undefined ? `_x${steps.after}` : `${to}${slope < 0 ? slope : `+${slope}`}x${steps.after}`
      return { series: each, values: `${stood(from, steps.before)} ${values}` }
    })
  })
}

const question = (input_series: ReadonlyArray<object>, steps: Steps, hours: number) => ({
  rule_files: ["rules.yml"],
  evaluation_interval: `${steps.minutes}m`,
  tests: [
    {
      interval: `${steps.minutes}m`,
      input_series,
      promql_expr_test: [
        {
          expr: `group by (alertname) (last_over_time(ALERTS{alertstate="firing"}[${hours}h]))`,
          eval_time: `${(hours + 1) * 60 - 1}m`,
          exp_samples: []
        }
      ]
    }
  ]
})

/** Without a course nothing has happened, and ages stand as well. */
const raised = async (before: string, after: string, course?: Course): Promise<ReadonlyArray<string>> => {
  const hours = course?.hours ?? 2
  const steps = stepsOf(hours)
  const rules = readFileSync(join(root, "ops/prometheus-rules.yml"), "utf8")
  const asked = question(seriesOf(before, after, course, steps), steps, hours)
  const { code, said } = await testRules({ "rules.yml": rules }, JSON.stringify(asked))
  // None is expected, so that it names all that there are.
  const found = [...said.matchAll(/alertname="(\w+)"/g)].map(([, name = ""]) => name)
  assert.isTrue(code === 0 || found.length > 0, said)
  return found
}

/** The alert is raised by what happened between these scrapes, and not before; "" if there was none. */
export const raises = async (alert: string, before: string, after: string, course: Course = {}): Promise<void> => {
  if (isWithoutPromtool !== undefined) return
  assert.notInclude(await raised(before, before), alert, "before its cause")
  assert.include(await raised(before, after, course), alert)
}
