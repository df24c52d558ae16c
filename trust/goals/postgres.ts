/**
 * PostgreSQL's faults under a worker that goes on taking deliveries: backends are terminated or killed, the server is
 * restarted, the network to it is cut, silent or slow. No fault loses or doubles anything, and the same worker recovers
 * by itself.
 */
import type { Dice } from "../../sandbox/Seed.ts"
import { type Goal, shuffled } from "../Goal.ts"
import { judge } from "../Judge.ts"
import { Proxy } from "../Proxy.ts"
import type { Server } from "../Servers.ts"
import { patienceMs, pause, within } from "../../bench/Waiting.ts"
import { World } from "../World.ts"

interface Stage {
  readonly server: Server
  readonly url: string
  readonly proxy: Proxy
  readonly dice: Dice
}

type Fault = (stage: Stage) => Promise<unknown>

const backends = (choice: string) =>
  `select ${choice} from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`

/** The network has this fault for a while; open connections are hit, too. */
const network =
  (fault: Proxy["fault"], millis: number): Fault =>
  async ({ dice, proxy }) => {
    proxy.fault = fault
    if (fault !== "black-hole" && fault !== "latency") proxy.cut()
    await pause(millis / 2 + dice.below(millis))
    proxy.fault = "none"
    proxy.cut()
  }

const faults: Readonly<Record<string, Fault>> = {
  "backends ended": ({ server, url }) => server.query(url, backends("pg_terminate_backend(pid)")),
  "one backend ended": ({ server, url }) => server.query(url, `${backends("pg_terminate_backend(pid)")} limit 1`),
  "queries cancelled": ({ server, url }) => server.query(url, backends("pg_cancel_backend(pid)")),
  // The server then ends all connections and recovers from its WAL.
  "a backend killed": async ({ dice, server, url }) => {
    const pids = await server.query(url, backends("pid"))
    const pid = Number(pids[dice.below(Math.max(1, pids.length))]?.["pid"] ?? 0)
    if (pid > 1) process.kill(pid, "SIGKILL")
  },
  "the server restarted": ({ server }) => server.restart(),
  partition: network("reset", 3000),
  "black hole": network("black-hole", 10_000),
  latency: network("latency", 3000)
}

export const goal: Goal = {
  engines: ["postgres"],
  runs: 4,
  run: async (attack) => {
    const { dice } = attack
    const server = await attack.server()
    const url = await server.database()
    const proxy = await Proxy.open(Number(new URL(url).port))
    const through = Object.assign(new URL(url), { port: String(proxy.port) }).href
    await using world = await World.open(attack, { environment: { SITELEDGER_WAREHOUSE: through } })
    let worker = world.start()
    await worker.reaches("the subscription is verified", ({ subscription }) => subscription.verifiedAt !== null)
    const violations: Array<string> = []
    const recoveries: Record<string, number> = {}
    let order: Array<string> = []
    let runs = 0
    for (const run of attack.runs()) {
      if (order.length === 0) order = shuffled(dice, Object.keys(faults))
      const name = order.pop() ?? "partition"
      const traffic = new AbortController()
      const genuine = world.sender.steadily(traffic.signal, 30)
      await pause(dice.below(500))
      await faults[name]?.({ server, url, proxy, dice })
      const from = performance.now()
      const isBack = await within(patienceMs, async () => {
        if (worker.hasEnded) return false
        const taken = world.sender.acknowledged.size
        await pause(300)
        return world.sender.acknowledged.size > taken && (await worker.status()) !== undefined ? true : undefined
      })
      traffic.abort()
      await genuine
      recoveries[name] = Math.max(recoveries[name] ?? 0, Math.round((performance.now() - from) / 100) / 10)
      if (isBack !== true) {
        violations.push(
          `${name}: the worker ${isBack === false ? `ended with ${worker.exitCode}` : "took no deliveries for a minute"}`
        )
        await worker.kill()
        worker = world.start()
      }
      runs = run + 1
    }
    const judged = await judge(world, worker)
    proxy.close()
    const figures = { recoverySeconds: recoveries, events: judged.events, entries: judged.entries }
    return { runs, violations: [...violations, ...judged.violations], figures }
  }
}
