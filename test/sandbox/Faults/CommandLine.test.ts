import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { removeFolder, temporaryFolder } from "../../Folders.ts"
import { freePort, run, until } from "../../RunningWorker.ts"

const root = resolve(import.meta.dirname, "../../..")
const environment = { PATH: process.env["PATH"] ?? "", NO_COLOR: "1" }
const sandbox = (...given: ReadonlyArray<string>) => run(environment, "sandbox", ...given)

const inFolder = async (use: (folder: string) => Promise<void>): Promise<void> => {
  const folder = temporaryFolder()
  await use(folder).finally(() => removeFolder(folder))
}

describe("siteledger sandbox", () => {
  it("names the known faults and exits with 2 if asked for another", async () => {
    const { code, stderr, stdout } = await sandbox("--port", "0", "--fault", "duplicat=0.5")
    assert.strictEqual(code, 2)
    assert.strictEqual(stdout, "")
    assert.match(
      stderr,
      /"duplicat=0\.5"\. Expected: NAME=VALUE, where NAME is one of duplicate, reorder, .*, outage$/m
    )
  })

  it("names a fault's range and exits with 2 if asked for more", async () => {
    const { code, stderr } = await sandbox("--port", "0", "--fault", "churn=1", "--fault", "reset=2")
    assert.strictEqual(code, 2)
    assert.match(stderr, /"reset=2"\. Expected: reset must be a number from 0 to 1$/m)
  })

  it("says in one sentence what is wrong with a scenario and exits with 2", () =>
    inFolder(async (folder) => {
      const file = join(folder, "wrong.json")
      writeFileSync(file, '{"steps": [{"at": "1 hour", "emit": -5}]}')
      const { code, stderr } = await sandbox("--port", "0", "--scenario", file)
      assert.strictEqual(code, 2)
      assert.strictEqual(
        stderr,
        `siteledger: The scenario ${file} can't be played: Expected a value greater than or equal to 0 at ["steps"][0]["emit"]\n`
      )
    }))

  it("lists its OAuth clients in its help", async () => {
    const { stdout } = await sandbox("--help")
    for (const [id, secret] of [
      ["sandbox", "secret sandbox-secret"],
      ["sandbox-premium", "secret sandbox-secret"],
      ["sandbox-app", "public"]
    ]) {
      // A long line goes on below.
      const said = stdout.replaceAll(/\n {4,}/g, " ")
      assert.match(said, new RegExp(`^ *- ${id} \\(${secret}\\): .*PKCE.* redirects to http://127`, "m"))
    }
    assert.include(stdout, "admin@example.com")
  })

  it("goes on from its state file, and exits with 2 if it is to play a scenario too", () =>
    inFolder(async (folder) => {
      const file = join(folder, "state.json")
      const life = async (...given: ReadonlyArray<string>) => {
        const port = String(await freePort())
        const child = spawn(join(root, "bin/siteledger"), ["sandbox", "--port", port, "--state", file, ...given], {
          env: environment
        })
        let printed = ""
        child.stdout.on("data", (chunk: Buffer) => (printed += String(chunk)))
        const admin = `http://127.0.0.1:${port}/admin/api/subscriptions`
        await until("it listens", () => fetch(admin).catch(() => undefined))
        const body = JSON.stringify({ url: "http://127.0.0.1:1/", events: ["ipc.paid"] })
        const headers = { "content-type": "application/json" }
        const made = (await (await fetch(admin, { method: "POST", headers, body })).json()) as { readonly id: number }
        child.kill("SIGKILL")
        await once(child, "close")
        const state = JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, unknown>>
        assert.deepStrictEqual(printed.split("\n"), [
          `export SITELEDGER_BASE_URL=http://127.0.0.1:${port}/v1`,
          `export SITELEDGER_AUTH_URL=http://127.0.0.1:${port}`,
          "export SITELEDGER_CLIENT_ID=sandbox",
          "export SITELEDGER_CLIENT_SECRET=sandbox-secret",
          "export SITELEDGER_WEBHOOK_URL=http://127.0.0.1:8080/webhooks",
          ""
        ])
        return { id: made.id, identity: state["identity"], seed: state["seed"] }
      }
      const first = await life("--seed", "6")
      const second = await life()
      assert.deepStrictEqual(second, { ...first, id: 2 })
      assert.deepStrictEqual([first.id, first.seed], [1, 6])
      const both = await sandbox("--port", "0", "--state", file, "--scenario", file)
      assert.strictEqual(both.code, 2)
      assert.match(both.stderr, /--scenario or --state/)
    }))

  it("plays a scenario with faults on and exits at its stop", () =>
    inFolder(async (folder) => {
      const file = join(folder, "short.json")
      const steps = [
        { at: "0 minutes", emit: 1 },
        { at: "1 minute", stop: true }
      ]
      writeFileSync(file, JSON.stringify({ timeScale: 600, projects: 3, steps }))
      const port = String(await freePort())
      const ended = sandbox("--port", port, "--scenario", file, "--fault", "clock-skew=86400", "--json")
      const credentials = { grant_type: "client_credentials", client_id: "sandbox", client_secret: "sandbox-secret" }
      const answer = await until("a token", () =>
        fetch(`http://127.0.0.1:${port}/oauth/token`, {
          method: "POST",
          body: new URLSearchParams(credentials)
        }).catch(() => undefined)
      )
      assert.isAbove(Date.parse(answer.headers.get("date") ?? ""), Date.now() + 80_000_000)
      const { access_token } = (await answer.json()) as { access_token: string }
      const made = await fetch(`http://127.0.0.1:${port}/v1/webhooks`, {
        method: "POST",
        headers: { authorization: `Bearer ${access_token}`, "content-type": "application/json" },
        body: JSON.stringify({ url: "http://127.0.0.1:1/hooks", events: ["ipc.paid"] })
      })
      assert.isTrue(made.ok)
      const { code, stderr, stdout } = await ended
      assert.strictEqual(code, 0, stderr)
      assert.include(stderr, "The scenario has been played.")
      assert.strictEqual(JSON.parse(stdout).SITELEDGER_BASE_URL, `http://127.0.0.1:${port}/v1`)
    }))
})
