/** A verb whose worker ends while it works isn't run a second time, because no one knows whether it was done. */
import { existsSync, writeFileSync } from "node:fs"
import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { removeFolder, temporaryFolder } from "../Folders.ts"
import { launch, run } from "../RunningWorker.ts"

const post = ["ledger", "post", "7", "--amount", "3", "--evidence", "letter", "--reason", "fee", "--by", "Ada"]

/** What comes of `ask`, with the environment of something that listens where the note of a worker points to. */
const there = async <A extends object>(
  answer: RequestListener,
  ask: (environment: Readonly<Record<string, string>>) => Promise<A>
) => {
  const dataDir = temporaryFolder()
  const server = createServer(answer).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  const note = { pid: 1, startedAt: "2026-11-20T02:00:00Z", admin: `http://127.0.0.1:${port}`, token: "t" }
  writeFileSync(join(dataDir, "worker.json"), JSON.stringify(note), { mode: 0o600 })
  try {
    const done = await ask({ SITELEDGER_DATA_DIR: dataDir, PATH: process.env["PATH"] ?? "" })
    return { ...done, isDoneHere: existsSync(join(dataDir, "store.sqlite")) }
  } finally {
    server.close()
    server.closeAllConnections()
    removeFolder(dataDir)
  }
}

const asked = (answer: RequestListener) => there(answer, (environment) => run(environment, ...post))

/** Interrupted once the worker has been asked for all of it, and doesn't answer yet. */
const interrupted = (...verb: ReadonlyArray<string>) => {
  const { promise: isAsked, resolve } = Promise.withResolvers<undefined>()
  const never: RequestListener = (request) => void request.resume().on("end", () => resolve(undefined))
  return there(never, async (environment) => {
    const { child, output } = launch(environment, ...verb)
    const closed = once(child, "close")
    await Promise.race([isAsked, closed])
    child.kill("SIGINT")
    const [code] = (await closed) as [number | null]
    return { code, stderr: output.stderr }
  })
}

describe("a verb that a worker was asked for", () => {
  it("isn't done here if the worker ends before it answers", async () => {
    const { code, isDoneHere, stderr } = await asked((request) =>
      request.resume().on("end", () => request.socket.destroy())
    )
    assert.deepStrictEqual([code, isDoneHere], [1, false])
    assert.strictEqual(
      stderr,
      "siteledger: The worker ended before it answered: check whether this was done before you ask again.\n"
    )
  })

  it("isn't done here if what answers is another program", async () => {
    const { code, isDoneHere, stderr } = await asked((_request, response) => response.writeHead(404).end())
    assert.deepStrictEqual([code, isDoneHere], [1, false])
    assert.match(stderr, /The worker answered with status 404\./)
  })

  it("isn't done here if the worker is too busy to read what it is asked", async () => {
    const { code, isDoneHere, stderr } = await asked((_request, response) => response.writeHead(408).end())
    assert.deepStrictEqual([code, isDoneHere], [1, false])
    assert.match(stderr, /too busy to take this: ask again later\./)
  })

  it("is said to go on there if it is interrupted here", async () => {
    const { code, isDoneHere, stderr } = await interrupted("export")
    assert.deepStrictEqual([code, isDoneHere], [1, false])
    assert.strictEqual(
      stderr,
      "siteledger: Interrupted, but the running worker goes on with `export`: `siteledger status` shows what is under way. " +
        "Check whether it was done before you ask again.\n"
    )
  })

  it("changes nothing there if it only reads, so an interruption is no more than that", async () => {
    const { code, stderr } = await interrupted("tables")
    assert.deepStrictEqual([code, stderr], [1, "siteledger: Interrupted before it was done.\n"])
  })
})
