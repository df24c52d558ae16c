/**
 * The whole worker on PostgreSQL, compared with the closest peer, `@supabase/stripe-sync-engine` from npm, on the same
 * server, with events of equal length, from the same third-party generator over 64 connections; the two alternate. Then
 * the worker takes deliveries in an open loop at the peer's highest rate. Without wrk or npm it prints `skipped` and
 * why.
 *
 * Goals: five times the peer's rate; in the open loop, a p99 no higher than the peer's. Run: node bench/peer.ts
 * --engine postgres
 */
import { round, start } from "./Child.ts"
import * as Engine from "./Engine.ts"
import * as Generator from "./Generator.ts"
import { installed } from "./Installed.ts"
import * as Live from "./Live.ts"
import { drained } from "./Phases.ts"
import { connected } from "./PostgresServer.ts"
import { ranged } from "./Ranges.ts"
import type { Trickled } from "./Trickle.ts"
import { cpuMicros } from "./Used.ts"
import { watched } from "./Watching.ts"

const seconds = Number(process.env["BENCH_SECONDS"] ?? 10)
const rounds = Number(process.env["BENCH_ROUNDS"] ?? 3)
const packages = { "@supabase/stripe-sync-engine": "0.48.5", stripe: "23.1.0" }
/** More than either accepts in a second. */
const most = { peer: 4000, own: 10_000 }

const say = (line: object): void =>
  void process.stdout.write(
    `${JSON.stringify({ bench: "peer", engine: Engine.name, peer: "@supabase/stripe-sync-engine 0.48.5", ...line })}\n`
  )

const rowsOf = (url: string): Promise<number> =>
  connected(url, async (client) => {
    const { rows } = await client.query<{ rows: string }>(
      "select (select count(*) from stripe.invoices) + (select count(*) from stripe.customers) as rows"
    )
    return Number(rows[0]?.rows)
  })

const measured = async (folder: string): Promise<void> => {
  await using engine = await Engine.open()
  const { url = "" } = await engine.place()
  await using live = await Live.at(engine)
  const peer = await start("StripePeer.ts", folder, url)
  const { port, worker } = await live.begin()
  await worker.reaches("it is live", ({ phase }) => phase === "live")
  const pid = peer.process.pid ?? 0
  const lines = []
  let taken = 0
  // The first round warms both up.
  for (let at = 0; at <= rounds; at++) {
    const lasting = at === 0 ? Math.min(seconds, 4) : seconds
    const theirs = await Generator.prepared(engine.root, `peer${at}`, most.peer * lasting, "stripe")
    const ours = await Generator.prepared(engine.root, `own${at}`, most.own * lasting, "long")
    const cpu = cpuMicros(pid)
    const other = await theirs.send(peer.line, lasting)
    const otherCpu = (cpuMicros(pid) - cpu) / other.acknowledged
    const own = await watched(engine, worker, undefined, async () => {
      const sent = await ours.send(port, lasting)
      await drained(worker)
      return sent
    })
    theirs.remove()
    ours.remove()
    taken += other.acknowledged
    if (at === 0) continue
    lines.push({
      perSecond: own.result.perSecond,
      peerPerSecond: other.perSecond,
      ratio: own.result.perSecond / other.perSecond,
      p99Ms: own.result.p99Ms,
      peerP99Ms: other.p99Ms,
      cpuMicrosPerDelivery: own.cpuMicros / own.result.acknowledged,
      peerCpuMicrosPerDelivery: otherCpu
    })
  }
  const stored = await rowsOf(url)
  peer.process.kill()
  const all = ranged(lines)
  const rate = Math.round(all.peerPerSecond)
  const open = await start("Trickle.ts", port, "open", Math.round(rate * Math.min(seconds, 15)), rate, "long")
  const { acknowledgedAt: _, ...openLoop } = JSON.parse(open.line) as Trickled
  say({
    generator: Generator.generator,
    connections: Generator.connections,
    seconds,
    ...all,
    peerRowsPerAccepted: round(stored / taken),
    openLoop: { perSecond: rate, ...openLoop, ofPeersP99: round(openLoop.p99Ms / all.peerP99Ms, 2) }
  })
}

// Our own generator sends no events of the peer's kind.
const found =
  Generator.generator === "own"
    ? { skipped: "wrk isn't installed (Debian's package wrk)" }
    : installed("stripe-sync-engine", packages)
if (typeof found === "string") await measured(found)
else say(found)
