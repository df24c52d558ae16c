/**
 * The container as ops/container/Containerfile builds it, on a Debian that is made here instead of one from a registry:
 * it is small, runs as user nobody on a read-only root, is healthy, and stops on SIGTERM. It takes minutes, so only
 * `npm run test:long` runs it.
 */
import { execFileSync, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, it } from "@effect/vitest"
import { folderOnDisk } from "../Folders.ts"
import { isLong, patience } from "../Long.ts"
import { until } from "../RunningWorker.ts"
import { root } from "../Tidy/Sources.ts"
import { World } from "../worker/World.ts"

const has = (program: string): boolean => spawnSync(program, ["--version"]).error === undefined

const why = !isLong
  ? "only in the long form"
  : process.getuid?.() !== 0
    ? "only root can build it"
    : has("buildah") && has("mmdebstrap")
      ? undefined
      : "buildah and mmdebstrap aren't installed"

const largestMb = 250

class Buildah {
  readonly #options: ReadonlyArray<string>

  constructor(folder: string) {
    const stores = ["--root", join(folder, "images"), "--runroot", join(folder, "run"), "--storage-driver", "vfs"]
    this.#options = stores
  }

  readonly environment = { ...process.env, BUILDAH_ISOLATION: "chroot" }

  words(...given: ReadonlyArray<string>): ReadonlyArray<string> {
    return [...this.#options, ...given]
  }

  do(...given: ReadonlyArray<string>): string {
    return execFileSync("buildah", this.words(...given), {
      env: this.environment,
      encoding: "utf8",
      maxBuffer: 2 ** 28,
      stdio: ["ignore", "pipe", "pipe"]
    }).trim()
  }
}

/** Debian with Node and npm, as the image that the file names has them. */
const makeBase = (buildah: Buildah, folder: string): void => {
  const tree = join(folder, "base")
  const keep = ["--variant=minbase", "--include=ca-certificates", "bookworm", tree]
  execFileSync("mmdebstrap", keep, { stdio: ["ignore", "ignore", "pipe"] })
  const npm = dirname(
    dirname(execFileSync("sh", ["-c", 'readlink -f "$(command -v npm)"'], { encoding: "utf8" }).trim())
  )
  mkdirSync(join(tree, "usr/local/lib/node_modules"), { recursive: true })
  copyFileSync(process.execPath, join(tree, "usr/local/bin/node"))
  execFileSync("cp", ["-a", npm, join(tree, "usr/local/lib/node_modules/npm")])
  for (const name of ["npm", "npx"]) {
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(tree, "usr/local/bin", name))
  }
  // Where this machine finds packages, and whom it trusts for them.
  const registry = execFileSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).trim()
  const trusted = "/etc/ssl/certs/ca-certificates.crt"
  copyFileSync(trusted, join(tree, trusted))
  writeFileSync(join(tree, "root/.npmrc"), `registry=${registry}\ncafile=${trusted}\n`)
  copyFileSync("/etc/resolv.conf", join(tree, "etc/resolv.conf"))
  const container = buildah.do("from", "scratch")
  buildah.do("add", container, tree, "/")
  buildah.do("config", "--env", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", container)
  buildah.do("commit", container, "base")
  buildah.do("rm", container)
}

const megabytes = (path: string): number =>
  Number(execFileSync("du", ["-sm", "--apparent-size", path], { encoding: "utf8" }).split("\t")[0])

const name = "is built, small, and runs a worker that is healthy and stops on SIGTERM"
it.skipIf(why !== undefined)(
  why === undefined ? name : `${name} (skipped: ${why})`,
  async () => {
    const folder = folderOnDisk()
    const buildah = new Buildah(folder)
    makeBase(buildah, folder)
    const file = join(root, "ops/container/Containerfile")
    buildah.do(
      "build",
      "--build-arg",
      "BASE=localhost/base",
      "--pull-never",
      "--file",
      file,
      "--tag",
      "siteledger",
      root
    )
    const container = buildah.do("from", "--pull-never", "siteledger")
    const at = buildah.do("mount", container)
    assert.isBelow(megabytes(at), largestMb)
    assert.isFalse(spawnSync("test", ["-e", join(at, "usr/bin/apt")]).status === 0)

    await using world = await World.open({ projects: 3 })
    const { PATH: _path, NODE_COMPILE_CACHE: _cache, SITELEDGER_DATA_DIR: _data, ...given } = world.environment
    const settings = Object.entries({ ...given, SITELEDGER_ADMIN_LISTEN: "127.0.0.1:8081" })
    const options = settings.flatMap(([key, value]) => ["--env", `${key}=${value}`])
    const run = ["run", "--user", "65532:65532", ...options, container, "--", "/opt/siteledger/bin/siteledger", "start"]
    const child = spawn("buildah", buildah.words(...run), {
      env: buildah.environment,
      stdio: ["ignore", "ignore", "pipe"]
    })
    let said = ""
    child.stderr.on("data", (chunk: Buffer) => (said += String(chunk)))
    const health = /^HEALTHCHECK[^[]*(\[.*\])$/m.exec(readFileSync(file, "utf8").replaceAll("\\\n", " "))?.[1] ?? ""
    const check = JSON.parse(health) as ReadonlyArray<string>
    await until(`it is healthy: ${said}`, async () => {
      if (child.exitCode !== null) throw new Error(said)
      return spawnSync("buildah", buildah.words("run", container, "--", ...check), { env: buildah.environment })
        .status === 0
        ? true
        : undefined
    })
    await until("it is subscribed", async () => (world.server.subscriptions.length > 0 ? true : undefined))
    assert.strictEqual(await world.server.deliver({ type: "ipc.paid", fields: { ipc_id: "1" } }), 200)
    const ended = once(child, "close")
    // As an engine would: to the container's own process, not to buildah, which would kill it.
    process.kill(Number(/ pid=(\d+) /.exec(said)?.[1]), "SIGTERM")
    assert.deepStrictEqual(await ended, [0, null], said)
    buildah.do("umount", container)
  },
  patience
)
