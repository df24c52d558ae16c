/**
 * Real proxies that terminate TLS in front of a real worker, with the configuration in ops/proxy: a signed delivery
 * arrives with its bytes and its sender's address, even one of the largest size, and only the path of deliveries can be
 * reached.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { request } from "node:https"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { selfSigned } from "../Certificates.ts"
import { temporaryFolder } from "../Folders.ts"
import { sign } from "../InterfaceServer.ts"
import { eventBody } from "../InterfaceServer/Events.ts"
import { freePort, until } from "../RunningWorker.ts"
import { root } from "../Tidy/Sources.ts"
import { World } from "../worker/World.ts"

const read = (name: string): string => readFileSync(join(root, "ops/proxy", name), "utf8")

interface Place {
  readonly folder: string
  readonly port: number
  /** Host and port of the receiver. */
  readonly receiver: string
  /** Of the deliveries. */
  readonly path: string
}

/** Replaces each of these in the text, in which it must be. */
const replaced = (text: string, changes: Readonly<Record<string, string>>): string =>
  Object.entries(changes).reduce((changed, [from, to]) => {
    assert.include(changed, from)
    return changed.replaceAll(from, to)
  }, text)

const nginx = ({ folder, path, port, receiver }: Place): ReadonlyArray<string> => {
  const site = replaced(read("nginx.conf"), {
    "127.0.0.1:8080": receiver,
    "listen 443 ssl": `listen 127.0.0.1:${port} ssl`,
    "/etc/letsencrypt/live/hooks.example.com/fullchain.pem": join(folder, "cert.pem"),
    "/etc/letsencrypt/live/hooks.example.com/privkey.pem": join(folder, "key.pem"),
    "= /construction": `= ${path}`
  })
  const own = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${folder}/${kind};`)
  const http = [...own, "access_log off;", site].join("\n")
  // Else root's nginx would work as nobody, who may not write here.
  const user = process.getuid?.() === 0 ? "user root;" : ""
  const main = `${user} daemon off; pid ${folder}/pid; error_log stderr; events {} http { ${http} }`
  writeFileSync(join(folder, "nginx.conf"), main)
  return ["nginx", "-p", folder, "-e", "stderr", "-c", join(folder, "nginx.conf")]
}

const caddy = ({ folder, path, port, receiver }: Place): ReadonlyArray<string> => {
  const site = replaced(read("Caddyfile"), {
    "127.0.0.1:8080": receiver,
    "hooks.example.com {": `https://127.0.0.1:${port} {\n\ttls ${folder}/cert.pem ${folder}/key.pem`,
    "handle /construction": `handle ${path}`
  })
  writeFileSync(join(folder, "Caddyfile"), site.replace("{\n\tservers", "{\n\tadmin off\n\tauto_https off\n\tservers"))
  return ["caddy", "run", "--config", join(folder, "Caddyfile"), "--adapter", "caddyfile"]
}

const proxies = { nginx: { start: nginx, name: "nginx-light" }, caddy: { start: caddy, name: "caddy" } }

const missing = (program: string, debian: string): string | undefined =>
  spawnSync(program, ["-v"]).error === undefined ? undefined : `${program} isn't installed (Debian: ${debian})`

/** As the service waits for an answer, which may be cut off. */
const patienceMs = 10_000

const post = (url: string, ca: string, body: Uint8Array, headers: Readonly<Record<string, string>>): Promise<number> =>
  new Promise((done, failed) => {
    const signal = AbortSignal.timeout(patienceMs)
    const sent = request(url, { method: "POST", ca, headers, agent: false, signal }, (response) => {
      response.resume().on("end", () => done(response.statusCode ?? 0))
    })
    sent.on("error", failed).end(body)
  })

const ended = async (child: ChildProcess): Promise<void> => {
  const end = once(child, "close")
  // With the processes that it has started.
  child.kill("SIGTERM")
  await end
}

describe.each(Object.entries(proxies))("%s in front of a worker", (program, { name, start }) => {
  const why = missing(program, name)
  const title = "passes deliveries on whole, with their sender's address, and nothing else"
  it.skipIf(why !== undefined)(why === undefined ? title : `${title} (skipped: ${why})`, async () => {
    await using world = await World.open({ projects: 3 }, { SITELEDGER_TRUSTED_PROXIES: "127.0.0.1" })
    const worker = world.start()
    await worker.live()
    const { secret, url } = world.server.subscriptions.at(-1) ?? assert.fail("no subscription")
    const folder = temporaryFolder()
    const certificate = selfSigned()
    writeFileSync(join(folder, "cert.pem"), certificate.cert)
    writeFileSync(join(folder, "key.pem"), certificate.key)
    mkdirSync(join(folder, "home"))
    const port = await freePort()
    const { pathname: path } = new URL(url)
    const [command = "", ...given] = start({ folder, port, receiver: new URL(url).host, path })
    const env = { PATH: process.env["PATH"] ?? "", HOME: join(folder, "home") }
    const child = spawn(command, given, { env, stdio: ["ignore", "ignore", "pipe"] })
    let said = ""
    child.stderr.on("data", (chunk: Buffer) => (said += String(chunk)))
    const deliver = (to: string, size: number, signature?: string) => {
      const body = Buffer.from(eventBody("ipc.submitted", { ipc_id: "1", note: "ä".repeat(size / 2) }))
      return post(`https://127.0.0.1:${port}${to}`, certificate.cert, body, {
        "content-type": "application/json",
        "x-service-signature": signature ?? sign(secret, body),
        "x-service-event-id": crypto.randomUUID(),
        "x-service-event-type": "ipc.submitted",
        "x-service-timestamp": String(Math.floor(Date.now() / 1000))
      })
    }
    try {
      await until(`it takes a delivery: ${said}`, async () => {
        if (child.exitCode !== null) throw new Error(said)
        const status = await deliver(path, 10).catch(() => undefined)
        return status === 200 || undefined
      })
      assert.strictEqual(await deliver(path, 4 * 2 ** 20 - 2000), 200)
      // The worker refuses it at its first bytes, and says so; what the sender learns is the proxy's choice.
      assert.notStrictEqual(await deliver(path, 4 * 2 ** 20 + 2000).catch(() => 0), 200)
      await worker.status("it knows of the large one", ({ reasons }) => /4194304/.test(reasons.join()))
      assert.strictEqual(await deliver(path, 10, "sha256=00"), 401)
      for (const other of ["/", "/status", `${path}/more`]) assert.strictEqual(await deliver(other, 10), 404, other)
      await worker.status("both are applied", ({ events, inbox }) =>
        Boolean(inbox.pending === 0 && (events["applied"] ?? 0) >= 2)
      )
    } finally {
      await ended(child)
    }
  })
})
