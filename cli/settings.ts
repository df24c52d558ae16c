/**
 * `siteledger settings`: the settings in force, by section, without secrets: those of the running worker, or without
 * one those of this environment, whether a worker could use them or not.
 */
import { Effect, Option } from "effect"
import { Command } from "effect/cli"
import { inForce } from "../config/InForce.ts"
import * as Settings from "../config/Settings.ts"
import type { Answer } from "../src/Operate/AdminApi.ts"
import * as Ask from "./Ask.ts"
import * as Log from "./Log.ts"
import { json } from "./Options.ts"
import * as Said from "./Said.ts"

type Setting = Answer<"settings">["settings"][number]

const here = Effect.map(inForce, (settings): Answer<"settings"> => ({ settings }))

const found = Effect.gen(function* () {
  const worker = yield* Ask.running
  if (Option.isNone(worker)) return yield* here
  const asked = Ask.throughWorker(worker.value, "settings", {})
  return yield* Effect.catchTag(asked, "Unanswered", Ask.instead(worker.value, here))
})

const states = { set: "", default: "  (default)", "not-set": "not set", bad: "bad" } as const

const valueOf = ({ isSecret, problem, state, value }: Setting): string => {
  if (state === "bad") return `bad: it ${problem}`
  if (isSecret) return state === "set" ? "set" : "not set"
  return value === null ? states[state] : `${value}${states[state]}`
}

const page = ({ settings }: Answer<"settings">): ReadonlyArray<string> => {
  const width = Math.max(...settings.map(({ name }) => name.length))
  return [...Map.groupBy(settings, ({ section }) => section)].flatMap(([section, those], at) => [
    ...(at === 0 ? [] : [""]),
    section,
    ...those.map((setting) => `  ${setting.name.padEnd(width)}  ${valueOf(setting)}`)
  ])
}

export const settings = Command.make("settings", { json }, ({ json: asJson }) =>
  Effect.gen(function* () {
    // Invalid ones are shown too.
    const usable = yield* Effect.result(Effect.provide(Settings.Settings, Settings.layer))
    const answer = usable._tag === "Failure" ? yield* here : yield* Effect.provide(found, Log.layerSettings)
    yield* Said.answer(asJson, page)(answer)
  })
).pipe(
  Command.withDescription("Show the settings in force, without any secret"),
  Command.withExamples([
    { command: "siteledger settings", description: "Each variable, and whether it is set or the default" },
    { command: "siteledger settings --json", description: "The same with what each means, for a program" }
  ])
)
