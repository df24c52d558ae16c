/**
 * Every peer of a worker under every fault of a network: {API, token, webhook, PostgreSQL, S3, sink} × {latency,
 * slicing, reset, half-open, black hole, garbage, cut, endless, duplicate answer}. After each fault, the same worker
 * recovers by itself; in the end nothing is lost or doubled.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import { type Attack, type Goal, shuffled } from "../Goal.ts"
import { judge } from "../Judge.ts"
import { faults, type Fault, Proxy } from "../Proxy.ts"
import { S3Stub } from "../S3Stub.ts"
import { pause, patienceMs, within } from "../../bench/Waiting.ts"
import { World } from "../World.ts"
import type { Worker } from "../../bench/WorkerProcess.ts"

const peers = ["API", "token", "webhook", "PostgreSQL", "S3", "sink"] as const
type Peer = (typeof peers)[number]

const faultMs = 2500

/** A proxy for each peer, and a worker that knows only the proxies. */
const arrange = async (attack: Attack, bucket: S3Stub) => {
  const proxies = Object.fromEntries(
    await Promise.all(peers.map(async (peer) => [peer, await Proxy.open(0)] as const))
  ) as Readonly<Record<Peer, Proxy>>
  const url = attack.engine === "postgres" ? await (await attack.server()).database() : undefined
  const through = (address: string, peer: Peer) =>
    Object.assign(new URL(address), { port: String(proxies[peer].port) }).href
  const world = await World.open(attack, {
    sandbox: { projects: 120 },
    environment: {
      ...bucket.environment,
      AWS_ENDPOINT_URL_S3: proxies.S3.url,
      SITELEDGER_LAKE: "s3://lake/exports",
      SITELEDGER_BASE_URL: `${proxies.API.url}/v1`,
      SITELEDGER_AUTH_URL: proxies.token.url,
      SITELEDGER_WALK_EVERY: "500 millis",
      SITELEDGER_LEDGER_SINK_URL: `${proxies.sink.url}/entries`,
      ...(url === undefined ? {} : { SITELEDGER_WAREHOUSE: through(url, "PostgreSQL") })
    }
  })
  const targets: Readonly<Record<Peer, string>> = {
    API: world.sandbox.baseUrl,
    token: world.sandbox.authUrl,
    webhook: world.sender.url,
    PostgreSQL: url ?? "http://127.0.0.1:1",
    S3: bucket.url,
    sink: `http://127.0.0.1:${world.sink.port}`
  }
  for (const peer of peers) proxies[peer].target = Number(new URL(targets[peer]).port)
  world.sender.url = through(world.sender.url, "webhook")
  return { proxies, world }
}

/** Makes the worker talk to this peer. */
const stir = async (world: World, worker: Worker, peer: Peer): Promise<void> => {
  if (peer === "token") await Effect.runPromise(world.sandbox.oauth.revokeAll)
  if (peer === "S3") void worker.verb("export")
}

/** Everything works again: a walk ends, deliveries are applied, entries are sent, an export is written. */
const recovers = async (world: World, worker: Worker, peer: Peer): Promise<string | undefined> => {
  const before = (await Effect.runPromise(world.sandbox.stats)).requests.answered
  let isTaken = false
  const isBack = await within(patienceMs, async () => {
    if (worker.hasEnded) return false
    isTaken ||= (await world.sender.burst(1))[0] === 200
    const report = await worker.status()
    if (!isTaken || report === undefined || report.inbox.pending > 0) return undefined
    if ((report.ledger.sink?.backlog ?? 0) > 0) return undefined
    const { requests } = await Effect.runPromise(world.sandbox.stats)
    return requests.answered > before ? true : undefined
  })
  if (isBack === false) return `the worker ended with ${worker.exitCode}: ${worker.log.trim().slice(-300)}`
  if (isBack === undefined)
    return `not well again within ${patienceMs / 1000} s: ${(await worker.status())?.reasons.join(" ")}`
  if (peer !== "S3") return undefined
  const isExported = await within(patienceMs, async () =>
    (await worker.verb("export")) === undefined ? undefined : true
  )
  return isExported === true ? undefined : `no export succeeds afterwards: ${worker.refusal}`
}

/** The bucket's objects as files. */
const downloaded = ({ objects }: S3Stub): string => {
  const folder = mkdtempSync(join(tmpdir(), "siteledger-trust-lake-"))
  for (const [key, { body }] of objects) {
    const path = join(folder, key)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, body)
  }
  return folder
}

export const goal: Goal = {
  engines: ["duckdb", "postgres"],
  runs: 4,
  run: async (attack) => {
    const { dice } = attack
    const bucket = await S3Stub.open()
    const { proxies, world } = await arrange(attack, bucket)
    await using _world = world
    let worker = world.start()
    await worker.reaches("the subscription is verified", ({ subscription }) => subscription.verifiedAt !== null)
    const violations: Array<string> = []
    const slowest = { cell: "", seconds: 0 }
    const here = peers.filter((peer) => peer !== "PostgreSQL" || attack.engine === "postgres")
    const all = here.flatMap((peer) => faults.slice(1).map((fault) => [peer, fault] as const))
    let order: Array<readonly [Peer, Fault]> = []
    let runs = 0
    for (const run of attack.runs()) {
      if (order.length === 0) order = shuffled(dice, all)
      const [peer, fault] = order.pop() ?? (["API", "reset"] as const)
      const proxy = proxies[peer]
      const traffic = new AbortController()
      const genuine = world.sender.steadily(traffic.signal, 20)
      proxy.fault = fault
      proxy.cut()
      await stir(world, worker, peer)
      await pause(faultMs)
      proxy.fault = "none"
      proxy.cut()
      traffic.abort()
      const from = performance.now()
      const broken = await recovers(world, worker, peer)
      const seconds = Math.round((performance.now() - from) / 100) / 10
      if (seconds > slowest.seconds) Object.assign(slowest, { cell: `${peer} × ${fault}`, seconds })
      await genuine
      if (broken !== undefined) {
        violations.push(`${peer} × ${fault}: ${broken}`)
        await worker.kill()
        worker = world.start()
      }
      runs = run + 1
    }
    let lake = ""
    const judged = await judge(world, worker, true, () => {
      lake = downloaded(bucket)
      return join(lake, "exports")
    })
    rmSync(lake, { recursive: true, force: true })
    for (const peer of peers) proxies[peer].close()
    await bucket.close()
    const figures = { cells: all.length, slowestRecovery: slowest, events: judged.events, entries: judged.entries }
    return { runs, violations: [...violations, ...judged.violations], figures }
  }
}
