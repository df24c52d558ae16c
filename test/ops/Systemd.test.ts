/**
 * The systemd unit of a worker: systemd itself accepts it, and reports that it removes the rights that a worker doesn't
 * need.
 */
import { spawnSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { temporaryFolder } from "../Folders.ts"
import { root } from "../Tidy/Sources.ts"

const path = join(root, "ops/systemd/siteledger.service")
const unit = readFileSync(path, "utf8")

const analyze = (...given: ReadonlyArray<string>) =>
  spawnSync("systemd-analyze", ["--no-pager", ...given], { encoding: "utf8" })

const missing = analyze("--version").status === 0 ? undefined : "systemd-analyze isn't installed (Debian: systemd)"
const named = (name: string): string => (missing === undefined ? name : `${name} (skipped: ${missing})`)

/** In tenths. */
const mostExposed = 30

describe("ops/systemd/siteledger.service", () => {
  it.skipIf(missing !== undefined)(named("exposes no more than 3.0 to what runs in it"), () => {
    const found = analyze("security", "--offline=true", `--threshold=${mostExposed}`, path)
    assert.strictEqual(found.status, 0, found.stdout.slice(-500) + found.stderr)
    assert.match(found.stdout, /Overall exposure level for siteledger\.service: [\d.]+/)
  })

  it.skipIf(missing !== undefined)(named("is what systemd can read, to the last line"), () => {
    const folder = temporaryFolder()
    const copy = join(folder, "siteledger.service")
    // Nothing is installed here that it could start.
    writeFileSync(copy, unit.replace("/usr/local/bin/siteledger start", "/bin/true"))
    const found = analyze("verify", "--man=no", copy)
    assert.deepInclude(found, { status: 0, stderr: "" })
  })

  it("lets it keep compiled code in a folder that only it can read", () => {
    const [, name] = /^CacheDirectory=(\w+)$/m.exec(unit) ?? []
    assert.include(unit, `Environment=NODE_COMPILE_CACHE=/var/cache/${name}\n`)
    assert.include(unit, "CacheDirectoryMode=0700\n")
  })

  it("goes by the worker's own exit code and time to stop", () => {
    assert.match(unit, /^RestartPreventExitStatus=2$/m)
    const [, seconds] = /^TimeoutStopSec=(\d+)$/m.exec(unit) ?? []
    assert.isAbove(Number(seconds), 10)
  })
})
