import { spawnSync } from "node:child_process"
import { readFileSync, renameSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, beforeAll, describe, it, vi } from "@effect/vitest"
import { Effect, Fiber, Schedule } from "effect"
import { compileCache } from "../GlobalSetup/Main.ts"
import { ask, endless, projects, publish, temporary } from "./Asking.ts"

const { directory, remove } = temporary()
const main = fileURLToPath(new URL("../../cli/main.ts", import.meta.url))
let file = ""

beforeAll(async () => {
  file = await publish(directory, projects)
})
afterAll(remove)

describe("the child process", () => {
  /** The child of this process that runs a query, as the system shows it; pid 0 until there is one. */
  const inspect = Effect.sync(() => {
    const listed = spawnSync("ps", ["-o", "pid=,args=", "--ppid", String(process.pid)], { encoding: "utf8" }).stdout
    const line = listed.split("\n").find((each) => each.includes("/child.cjs"))
    const pid = line?.trim().split(" ")[0] ?? ""
    return {
      pid: Number(pid),
      line: line ?? "",
      environ: pid === "" ? "?" : readFileSync(`/proc/${pid}/environ`, "utf8")
    }
  })
  const running = inspect.pipe(
    Effect.flatMap((child) => (child.pid > 0 ? Effect.succeed(child) : Effect.fail("none"))),
    Effect.retry(Schedule.spaced("20 millis"))
  )
  const isGone = (pid: number) =>
    Effect.try({ try: () => process.kill(pid, 0), catch: () => "gone" }).pipe(
      Effect.repeat(Schedule.spaced("20 millis")),
      Effect.ignore
    )

  it.live("has nothing of our environment, and no SQL among its arguments", () =>
    Effect.gen(function* () {
      vi.stubEnv("SITELEDGER_CLIENT_SECRET", "marked-secret")
      const sql = `select 'marked-sql', count(*) from range(100000) a, range(100000) b, range(100000) c`
      const query = yield* Effect.forkChild(ask({ file, sql }))
      const { environ, line, pid } = yield* running
      assert.strictEqual(environ, "")
      assert.notInclude(line, "marked")
      yield* Fiber.interrupt(query)
      yield* isGone(pid)
      vi.unstubAllEnvs()
    })
  )

  it.live("that is killed isn't mistaken for a whole answer", () =>
    Effect.gen(function* () {
      const query = yield* Effect.forkChild(ask({ file, sql: endless }))
      const { pid } = yield* running
      process.kill(pid, "SIGKILL")
      const { err, exitCode } = yield* Fiber.join(query)
      assert.deepStrictEqual(
        { err, exitCode },
        { err: "The query's process ended by a signal before the answer was whole.\n", exitCode: 1 }
      )
    })
  )

  it.live("goes on reading the copy that it opened when another replaces it", () =>
    Effect.gen(function* () {
      const place = join(directory, "replaced")
      const rows = (word: string) =>
        `create table construction.r as select range as n, '${word}' as word from range(400000)`
      const published = yield* Effect.promise(() => publish(place, rows("old")))
      const next = yield* Effect.promise(() => publish(join(place, "next"), rows("new")))
      let out = ""
      const sql = "select * from construction.r"
      const options = { file: published, sql, limits: { rows: 1_000_000 } }
      const answer = yield* ask({
        ...options,
        onText: (text) =>
          Effect.sync(() => {
            if (out === "") renameSync(next, published)
            out += text
          })
      })
      assert.strictEqual(answer.exitCode, 0)
      assert.strictEqual(out.match(/,old\r\n/g)?.length, 400_000)
      assert.notInclude(out, "new")
      const after = yield* ask({ ...options, sql: "select distinct word from construction.r" })
      assert.strictEqual(after.out, "word\r\nnew\r\n")
    })
  )

  it.live("says how an infinite number is written where one is too large", () =>
    Effect.gen(function* () {
      for (const sql of ["select 1e400", "select -1e400 as n from construction.projects where id < 1e999"]) {
        const { err, exitCode } = yield* ask({ file, sql })
        assert.strictEqual(exitCode, 1)
        assert.match(err, /^A number in the query is too large for a DOUBLE: write 'Infinity'::DOUBLE [^\n]*\n$/)
      }
      assert.strictEqual((yield* ask({ file, sql: "select 'Infinity'::DOUBLE as n" })).exitCode, 0)
    })
  )
})

describe("the verb, run from its sources", () => {
  const sh = (script: string) =>
    spawnSync("sh", ["-c", script, "sh", process.execPath, main], {
      encoding: "utf8",
      env: { SITELEDGER_DATA_DIR: directory, PATH: "/usr/bin:/bin", NODE_COMPILE_CACHE: compileCache }
    })

  it("answers on standard output, and ends with 0, 1 or 2", () => {
    const good = sh(`"$1" "$2" query "select count(*) as n from construction.projects" --csv`)
    assert.deepStrictEqual([good.status, good.stdout, good.stderr], [0, "n\r\n1000\r\n", ""])
    const bad = sh(`"$1" "$2" query "select nothing"`)
    assert.deepStrictEqual([bad.status, bad.stdout], [1, ""])
    assert.match(bad.stderr, /^Binder Error: .*\n\nLINE 1: select nothing\n +\^\n$/)
    const both = sh(`"$1" "$2" query "select 1" --csv --json`)
    assert.deepStrictEqual([both.status, both.stdout], [2, ""])
    assert.include(both.stderr, "Give only one of --csv, --json and --parquet FILE.")
  })

  it("ends quietly when the reader of its answer has gone", () => {
    for (const form of ["--csv", "--json", ""]) {
      const head = sh(`{ "$1" "$2" query "from range(100000)" ${form}; echo "ended $?" >&2; } | head -n 1`)
      assert.strictEqual(head.stderr, "ended 0\n")
    }
  })

  it("takes its child with it when it is killed", () => {
    const script = `"$1" "$2" query "${endless}" & parent=$!
      until child=$(ps -o pid= --ppid $parent | tr -d ' ') && [ -n "$child" ]; do kill -0 $parent || exit; sleep 0.05; done
      # A child that is still starting ends anyway.
      until [ "$(ps -o cputimes= -p $child)" -ge 1 ]; do kill -0 $child || exit; sleep 0.05; done
      kill -9 $parent
      for i in $(seq 100); do kill -0 $child 2>/dev/null || { echo gone; exit; }; sleep 0.05; done`
    assert.include(sh(script).stdout, "gone")
  })
})
