/**
 * The admin listener under every combination of Host, Origin, method, token and path, with and without a configured
 * token: only the allowed ones are answered, and no answer gives a web page the right to read it.
 */
import { connect } from "node:net"
import type { Goal } from "../Goal.ts"
import { mark, World } from "../World.ts"
import type { Worker } from "../../bench/WorkerProcess.ts"

const hosts = (port: string): Readonly<Record<string, boolean>> => ({
  [`127.0.0.1:${port}`]: true,
  localhost: true,
  [`LOCALHOST:${port}`]: true,
  [`[::1]:${port}`]: true,
  "evil.example": false,
  "localhost.evil.example": false,
  "127.0.0.1.evil.example": false,
  "evil.example:8081": false,
  "localhost@evil.example": false,
  "127.1": false,
  "2130706433": false,
  "": false
})
const origins = [undefined, "null", "https://evil.example", "http://localhost:3000"]
const methods = ["GET", "POST", "PUT", "DELETE", "OPTIONS"]
const paths = [
  "/health/live",
  "/status",
  "/metrics",
  "/verbs/secret-list",
  "/verbs/ledger-list",
  "/",
  "/session",
  "/query.parquet",
  "/verbs/../status",
  "/worker.json"
]

interface Asked {
  readonly host: string
  readonly origin: string | undefined
  readonly method: string
  readonly path: string
  readonly token: string | undefined
}

const exchanged = (port: number, { host, method, origin, path, token }: Asked): Promise<string> =>
  new Promise((resolve) => {
    let answer = ""
    const lines = [
      `${method} ${path} HTTP/1.1`,
      `Host: ${host}`,
      "Connection: close",
      ...(origin === undefined ? [] : [`Origin: ${origin}`, "Access-Control-Request-Method: POST"]),
      ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
      ...(method === "GET" || method === "OPTIONS" ? [] : ["Content-Length: 2", "Content-Type: text/plain"])
    ]
    const body = method === "GET" || method === "OPTIONS" ? "" : "{}"
    const socket = connect(port, "127.0.0.1", () => socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`))
    socket.setTimeout(5000, () => socket.destroy())
    socket.on("data", (chunk: Buffer) => (answer += String(chunk)))
    socket.on("error", () => undefined)
    socket.on("close", () => resolve(answer))
  })

/** Whether this may be answered with a 2xx. */
const isAllowed = (asked: Asked, isLocal: boolean, isRight: boolean, isConfigured: boolean): boolean => {
  const { method, path } = asked
  if (path === "/health/live") return method === "GET"
  // The page is the same for everyone, and empty until someone signs in.
  if (path === "/") return method === "GET" && (isConfigured || isLocal)
  if (path === "/session") return method === "GET" && isRight && (isConfigured || isLocal)
  if (path === "/status" || path === "/metrics") return method === "GET" && (isConfigured ? isRight : isLocal)
  return path.startsWith("/verbs/") && !path.includes("..") && method === "POST" && isRight
}

const matrix = (port: string, right: string): ReadonlyArray<readonly [asked: Asked, isLocal: boolean]> =>
  Object.entries(hosts(port)).flatMap(([host, isLocal]) =>
    origins.flatMap((origin) =>
      methods.flatMap((method) =>
        paths.flatMap((path) =>
          [undefined, right, `${right}x`, right.slice(1), ""].map(
            (token) => [{ host, origin, method, path, token }, isLocal] as const
          )
        )
      )
    )
  )

const tried = async (worker: Worker, isConfigured: boolean, chosen: () => boolean) => {
  const { admin = "", token: right = "" } = worker.note() ?? {}
  const { port } = new URL(admin)
  const violations: Array<string> = []
  let asked = 0
  const waiting = matrix(port, right).filter(chosen)
  const lane = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [one, isLocal] = next
      const answer = await exchanged(Number(port), one)
      const status = Number(answer.split(" ")[1] ?? 0)
      const isAnswered = status >= 200 && status < 300
      const shown = `${one.method} ${one.path} as ${JSON.stringify(one.host)} from ${one.origin ?? "no origin"}`
      asked++
      const isRight = one.token === right
      if (isAnswered !== isAllowed(one, isLocal, isRight, isConfigured)) {
        violations.push(`${shown} with ${isRight ? "the" : "no valid"} token was answered ${status}`)
      }
      if (/^access-control-allow/im.test(answer)) violations.push(`${shown} was answered with CORS headers`)
      if (!isRight && answer.includes(right)) violations.push(`${shown} was answered with the token`)
    }
  }
  await Promise.all(Array.from({ length: 16 }, lane))
  return { asked, violations }
}

export const goal: Goal = {
  engines: ["duckdb"],
  runs: 1,
  run: async (attack) => {
    const violations: Array<string> = []
    let asked = 0
    // In the short form every third combination.
    const chosen = (): boolean => attack.isLong || attack.dice.chance(1 / 3)
    await using world = await World.open(attack, { hasSink: false })
    for (const token of [undefined, `${mark}-of-the-admin`]) {
      const worker = world.start(token === undefined ? {} : { SITELEDGER_ADMIN_TOKEN: token })
      await worker.reaches("the worker is up")
      const one = await tried(worker, token !== undefined, chosen)
      violations.push(...one.violations)
      asked += one.asked
      await worker.stop()
    }
    return { runs: asked, violations, figures: { combinations: asked } }
  }
}
