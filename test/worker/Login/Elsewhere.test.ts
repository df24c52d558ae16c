/**
 * Logging in from a machine that no browser can return to, as a person does it against the sandbox: by a device code,
 * by a pasted address, and combinations that are refused.
 */
import { once } from "node:events"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Sandbox } from "../../../sandbox/Sandbox.ts"
import { type Environment, launch, run, until } from "../../RunningWorker.ts"
import { decide } from "../../sandbox/OAuth/Person.ts"
import { placeOf } from "../SandboxWorld.ts"

/** The server client, whose secret is taken only by HTTP Basic. */
const sandboxed = Effect.gen(function* () {
  const { authUrl, baseUrl, options } = yield* Sandbox.start({ projects: 3, basicOnly: true })
  const place = yield* placeOf({ authUrl, baseUrl, ...options })
  return { ...place.environment, SITELEDGER_SCOPES: "projects.read ipcs.read" } satisfies Environment
})

/** Starts a login, and waits for a line on stdout. */
const begun = async (environment: Environment, flag: string, line: RegExp) => {
  const { child, output } = launch(environment, "login", flag)
  const ended = once(child, "close") as Promise<[number | null]>
  const url = await until("the address is printed", async () => {
    if (child.exitCode !== null) throw new Error(output.stderr)
    return line.exec(output.stdout)?.[1]
  })
  return { child, output, url, ended }
}

const authorize = /^(http\S+\/oauth\/authorize\S+)\n/m

const within = (body: (environment: Environment) => Promise<void>) =>
  Effect.scoped(Effect.flatMap(sandboxed, (environment) => Effect.promise(() => body(environment))))

describe("siteledger login", () => {
  it.live("--device shows a code, and ends when a person has consented elsewhere", () =>
    within(async (environment) => {
      const { ended, output, url } = await begun(environment, "--device", /^(http\S+user_code=\S+)\n/m)
      const [address, code] = output.stdout.split("\n")
      assert.strictEqual(`${address}?user_code=${code}`, url)
      assert.include(output.stderr, "enter the code, within 10m:")
      await decide("allow")(url)
      assert.deepStrictEqual((await ended)[0], 0, output.stderr)
      assert.include(output.stderr, "Logged in, for projects.read ipcs.read.")
      assert.match((await run(environment, "login", "--status")).stdout, /scopes +projects\.read ipcs\.read/)
      assert.match((await run(environment, "login", "--forget")).stdout, /revoked/)
    })
  )

  it.live("--device ends when a person denies", () =>
    within(async (environment) => {
      const { ended, output, url } = await begun(environment, "--device", /^(http\S+user_code=\S+)\n/m)
      await decide("deny")(url)
      assert.strictEqual((await ended)[0], 1)
      assert.match(output.stderr, /^siteledger: Access was denied: no consent was given\.$/m)
    })
  )

  it.live("--paste takes one line, although its input stays open, and shows nothing of it", () =>
    within(async (environment) => {
      const { child, ended, output, url } = await begun(environment, "--paste", authorize)
      const redirect = await decide("allow")(url)
      child.stdin.write(`${redirect}\n`)
      assert.strictEqual((await ended)[0], 0, output.stderr)
      assert.include(output.stderr, "Logged in, for projects.read ipcs.read.")
      const code = new URL(redirect).searchParams.get("code") ?? "no code"
      assert.notInclude(output.stdout + output.stderr, code)
    })
  )

  it.live("--paste refuses a code alone, and ends with its input", () =>
    within(async (environment) => {
      const bare = await begun(environment, "--paste", authorize)
      const code = new URL(await decide("allow")(bare.url)).searchParams.get("code") ?? "no code"
      bare.child.stdin.end(code)
      assert.strictEqual((await bare.ended)[0], 1)
      assert.match(bare.output.stderr, /^siteledger: Paste the whole address.*a code alone isn't accepted/m)
      assert.notInclude(bare.output.stderr, code)
      const empty = await begun(environment, "--paste", authorize)
      empty.child.stdin.end()
      assert.strictEqual((await empty.ended)[0], 1)
      assert.match(empty.output.stderr, /^siteledger: Nothing was pasted/m)
    })
  )

  it.live("refuses what can't be asked for together", () =>
    within(async (environment) => {
      const pairs = [
        ["--paste", "--device"],
        ["--device", "--status"],
        ["--paste", "--forget"],
        ["--status", "--forget"]
      ] as const
      for (const [first, second] of pairs) {
        const { code, stderr } = await run(environment, "login", second, first)
        assert.strictEqual(code, 2)
        assert.include(stderr, `${first} and ${second} are mutually exclusive.`)
      }
      const { code, stderr } = await run(environment, "login", "--port", "8484", "--device")
      assert.strictEqual(code, 2)
      assert.include(stderr, "not with --device")
    })
  )
})
