/** The command line of `npm run trust`, and that each of its goals attacks a promise. */
import { readdirSync } from "node:fs"
import { basename, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { read, UsageError } from "../../trust/Options.ts"
import { promises } from "../../trust/promises.ts"

const goals = readdirSync(join(import.meta.dirname, "../../trust/goals")).map((file) => basename(file, ".ts"))
const options = (...args: ReadonlyArray<string>) => read(args, goals, () => 7)

describe("the options of an attack", () => {
  it("are all goals in their short form, and a fresh seed, if none is given", () => {
    const none = { runs: undefined, seconds: undefined, engine: undefined, ipcs: undefined, kills: undefined }
    const expected = { ...none, goals, seed: 7, write: false }
    assert.deepStrictEqual(options(), expected)
    assert.deepStrictEqual(options("--short"), expected)
  })

  it("name goals, a length, a seed and an engine", () => {
    assert.deepStrictEqual(options("kill", "--runs", "200", "--seconds", "60", "--seed", "0", "--engine", "postgres"), {
      goals: ["kill"],
      seed: 0,
      runs: 200,
      seconds: 60,
      engine: "postgres",
      ipcs: undefined,
      kills: undefined,
      write: false
    })
  })

  it("name the size of a month", () => {
    assert.deepInclude(options("month", "--ipcs", "5000", "--kills", "20"), { ipcs: 5000, kills: 20 })
    assert.deepInclude(options("month", "--kills", "0"), { ipcs: undefined, kills: 0 })
  })

  it.each([
    ["nosuch"],
    ["--seed", "x"],
    ["--seed", "-1"],
    ["--seed", "4294967296"],
    ["--runs", "0"],
    ["--runs", "1.5"],
    ["--seconds", ""],
    ["--engine", "oracle"],
    ["--bogus"],
    ["--seed"],
    ["--short", "--runs", "3"],
    ["--short", "--kills", "3"],
    ["--ipcs", "7"]
  ])("that are wrong (%s %s) are refused in one sentence", (...args) => {
    const sentence = /^[^.]+(\.\d[^.]*)?\.$/
    assert.throws(() => options(...args.filter((each) => each !== undefined)), UsageError, sentence)
  })

  it("leave no goal without its promise", () => {
    assert.sameMembers([...new Set(promises.map(({ goal }) => goal))], goals)
  })
})
