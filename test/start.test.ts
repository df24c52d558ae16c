/**
 * `npm start` as README has it, in a folder that is like a checkout: it shows the copy growing, and Ctrl-C ends all of it.
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import { assert, it } from "@effect/vitest"
import { removeFolder, temporaryFolder } from "./Folders.ts"
import { freePort, until } from "./RunningWorker.ts"

const root = resolve(import.meta.dirname, "..")

/** Only what npm and the launcher go by is copied: they must stay in this folder, and so keep their data in it. */
const checkout = (): string => {
  const folder = temporaryFolder()
  for (const name of readdirSync(root)) {
    if (name === "data" || name === ".git") continue
    if (name === "bin" || name === "package.json") cpSync(join(root, name), join(folder, name), { recursive: true })
    else symlinkSync(join(root, name), join(folder, name))
  }
  return folder
}

const isAlive = (group: number): boolean => {
  try {
    return process.kill(-group, 0)
  } catch {
    return false
  }
}

it("npm start shows projects being copied; Ctrl-C ends it with 0 and leaves nothing behind", async () => {
  assert.match(readFileSync(join(root, "README.md"), "utf8"), /^npm ci && npm start$/m)
  const folder = checkout()
  const ports = await freePort()
  // A terminal's Ctrl-C goes to the whole group.
  const npm = spawn("npm", ["start", "--", "--ports", String(ports)], {
    cwd: folder,
    detached: true,
    env: { PATH: process.env["PATH"] ?? "", HOME: folder, npm_config_update_notifier: "false" }
  })
  const group = npm.pid ?? 0
  let printed = ""
  npm.stderr.on("data", (chunk: Buffer) => (printed += String(chunk)))
  const ended = once(npm, "close") as Promise<[number | null]>
  try {
    await until("projects are copied", async () => {
      if (npm.exitCode !== null) throw new Error(`It ended: ${printed}`)
      return /projects: [1-9]\d* rows/.test(printed) || undefined
    })
    const note = join(folder, "data/demo/worker.json")
    assert.isTrue(existsSync(note))
    process.kill(-group, "SIGINT")
    const [code] = await ended
    assert.strictEqual(code, 0, printed)
    assert.isFalse(isAlive(group))
    assert.isFalse(existsSync(note), basename(note))
    for (const port of [ports, ports + 1, ports + 2]) {
      const answer = await fetch(`http://127.0.0.1:${port}/`).catch(() => undefined)
      assert.isUndefined(answer, `${port} answers`)
    }
  } finally {
    if (isAlive(group)) process.kill(-group, "SIGKILL")
    removeFolder(folder)
  }
})
