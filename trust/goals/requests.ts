/**
 * Fuzzed and slow requests beside genuine deliveries: mutations of signed ones, headers that drip, idle sockets, bodies
 * that never end, a body of 300,000 keys. No forged request is accepted, and at least 99.9 % of the genuine ones are
 * answered 2xx, 99 % of them within a second.
 */
import { createHash } from "node:crypto"
import { connect, type Socket } from "node:net"
import { quantile } from "../../bench/Child.ts"
import type { Dice } from "../../sandbox/Seed.ts"
import type { Goal } from "../Goal.ts"
import { judge } from "../Judge.ts"
import { headersOf, sign } from "../Sender.ts"
import { Tale, type Told } from "../Tale.ts"
import { pause } from "../../bench/Waiting.ts"
import { World } from "../World.ts"

interface Request {
  method: string
  path: string
  headers: Array<[name: string, value: string]>
  body: Buffer
}

type Mutation = (request: Request, dice: Dice, secret: string) => void

const replaced = (request: Request, name: string, change: (value: string) => string): void => {
  request.headers = request.headers.map(([each, value]) => [each, each === name ? change(value) : value])
}

const signature = "X-Service-Signature"

/** Each turns a signed request into one that must be refused. */
const forgeries: ReadonlyArray<Mutation> = [
  ({ body }, dice) => void (body[dice.below(body.length)]! ^= 1 << dice.below(8)),
  (request, dice) => {
    const at = dice.below(64)
    const flip = (digit: string) => (Number.parseInt(digit, 16) ^ (1 + dice.below(15))).toString(16)
    replaced(request, signature, (hex) => hex.slice(0, at) + flip(hex[at] ?? "0") + hex.slice(at + 1))
  },
  (request) => void (request.headers = request.headers.filter(([name]) => name !== signature)),
  (request, _, secret) => replaced(request, signature, () => sign(secret, "")),
  (request) => replaced(request, signature, () => sign("", request.body)),
  (request) => replaced(request, signature, () => sign("another-secret", request.body)),
  (request, dice) => replaced(request, signature, (hex) => hex.slice(0, dice.below(64))),
  (request) => replaced(request, signature, (hex) => `${hex}, ${hex}`),
  (request) => void (request.body = Buffer.concat([request.body, Buffer.from(" ")])),
  (request, dice) => void (request.body = request.body.subarray(0, dice.below(request.body.length)))
]

/** Each corrupts the form of a request that is refused anyway. */
const malformations: ReadonlyArray<Mutation> = [
  (request, dice) => void (request.method = dice.pick(["GET", "PUT", "TRACE", "POS\u0000T", "post"])),
  (request, dice) =>
    void (request.path = dice.pick(["/", "/../etc/passwd", "*", "//hooks//construction", "/hooks/construction?x"])),
  (request, dice) => void request.headers.push(["X-Fill", "f".repeat(dice.below(20_000))]),
  (request) => void request.headers.push(["Transfer-Encoding", "chunked"]),
  (request, dice) => void request.headers.push(["Content-Length", String(dice.below(10))]),
  (request) => void request.headers.push(["Content-Encoding", "gzip"]),
  (request) => void request.headers.push(["Expect", "100-continue"]),
  (request) => void request.headers.push([signature, "0".repeat(64)]),
  (request, dice) => replaced(request, "X-Service-Event-Id", () => "\u0001".repeat(dice.below(50))),
  (request) => void request.headers.push(["Bad Name\u0000", "x"])
]

/** If Content-Length cuts the body to nothing, the signature of an empty body is valid. */
const isGenuine = ({ body, headers }: Request, secret: string): boolean => {
  const length = Number(headers.find(([name]) => name === "Content-Length")?.[1] ?? body.length)
  const right = sign(secret, body.subarray(0, length))
  return headers.some(([name, value]) => name === signature && value === right)
}

const bytesOf = ({ body, headers, method, path }: Request): Buffer => {
  const length = headers.some(([name]) => name === "Content-Length") ? [] : [["Content-Length", String(body.length)]]
  const lines = [...headers, ...length].map(([name, value]) => `${name}: ${value}`)
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`, "latin1"), body])
}

const answerMs = 3000

/** The first line of the answer; empty if there is none. */
const exchanged = (port: number, bytes: Buffer): Promise<string> =>
  new Promise((resolve) => {
    let answer = ""
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes))
    const end = (): void => {
      socket.destroy()
      resolve(answer.split("\r\n")[0] ?? "")
    }
    socket.setTimeout(answerMs, end)
    socket.on("error", end)
    socket.on("close", end)
    socket.on("data", (chunk: Buffer) => {
      answer = (answer + chunk.toString("latin1")).replace("HTTP/1.1 100 Continue\r\n\r\n", "")
      if (answer.includes("\r\n")) end()
    })
  })

/** Sockets that occupy places: silent, dripping, or in the middle of a body that never ends. */
const crowd = (port: number, each: number): { readonly close: () => void } => {
  const sockets: Array<Socket> = []
  const drips: Array<NodeJS.Timeout> = []
  const open = (begin: (socket: Socket) => void): void => {
    const socket = connect(port, "127.0.0.1", () => begin(socket))
    socket.on("error", () => undefined)
    sockets.push(socket)
  }
  const head = `POST /hooks/construction HTTP/1.1\r\nHost: a\r\n`
  for (let n = 0; n < each; n++) {
    open(() => undefined)
    open((socket) => {
      socket.write(head)
      drips.push(setInterval(() => socket.writable && socket.write(`X-${n}: y\r\n`), 500))
    })
    open((socket) => {
      socket.write(`${head}${signature}: ${"a".repeat(64)}\r\nContent-Length: 3000000\r\n\r\n`)
      drips.push(setInterval(() => socket.writable && socket.write("z"), 500))
    })
  }
  return {
    close: () => {
      for (const drip of drips) clearInterval(drip)
      for (const socket of sockets) socket.destroy()
    }
  }
}

/** A genuine event with 300,000 fields that no table has. */
const manyKeys = (): Told => {
  const keys = Array.from({ length: 300_000 }, (_, n) => `"k${n}":1`)
  const body = `{"event_timestamp":"2026-01-01T00:00:00Z","ipc_id":"KEYS-0","project_id":1,"draft_amount":"1.0000",${keys.join(",")}}`
  const sha256 = createHash("sha256").update(body).digest("hex")
  return {
    type: "ipc.created",
    id: `keys-${sha256.slice(0, 8)}`,
    body,
    sha256,
    ipc: "KEYS-0",
    stage: "created",
    amount: undefined
  }
}

const perBatch = 25

export const goal: Goal = {
  engines: ["duckdb"],
  runs: 10,
  isAlone: true,
  run: async (attack) => {
    const { dice } = attack
    await using world = await World.open(attack, { hasSink: false })
    const worker = world.start()
    await worker.reaches("the subscription is verified", ({ subscription }) => subscription.verifiedAt !== null)
    const port = Number(new URL(world.sender.url).port)
    const tale = new Tale(dice, "FORGED")
    const violations: Array<string> = []
    const answers = new Map<string, number>()
    const forge = async (): Promise<void> => {
      const [event] = tale.take(1)
      if (event === undefined) return
      const headers = Object.entries({ Host: `127.0.0.1:${port}`, ...headersOf(world.sender.secret, event) })
      const request: Request = { method: "POST", path: "/hooks/construction", headers, body: Buffer.from(event.body) }
      const forgery = dice.below(forgeries.length)
      forgeries[forgery]?.(request, dice, world.sender.secret)
      for (let n = dice.below(3); n > 0; n--) malformations[dice.below(malformations.length)]?.(request, dice, "")
      if (isGenuine(request, world.sender.secret)) return
      const bytes = bytesOf(request)
      const answer = await exchanged(port, bytes)
      const status = answer.split(" ")[1] ?? "none"
      answers.set(status, (answers.get(status) ?? 0) + 1)
      if (status.startsWith("2")) violations.push(`forgery ${forgery} of ${event.id} was answered ${answer}`)
    }
    const traffic = new AbortController()
    const strangers = crowd(port, 150)
    const genuine = world.sender.steadily(traffic.signal, 80)
    world.sender.tale.told.push(manyKeys())
    let runs = 0
    for (const run of attack.runs()) {
      await Promise.all([...Array.from({ length: perBatch }, forge), pause(400)])
      const keys = world.sender.owed.find(({ ipc }) => ipc === "KEYS-0")
      if (run === 2 && keys !== undefined) await world.sender.attempt(keys)
      runs = run + 1
    }
    traffic.abort()
    await genuine
    const { latencies, statuses } = world.sender
    const total = [...statuses.values()].reduce((sum, each) => sum + each, 0)
    const share = (statuses.get(200) ?? 0) / total
    const p99Ms = Math.round(quantile(latencies, 0.99))
    strangers.close()
    if (share < 0.999)
      violations.push(`only ${(share * 100).toFixed(2)} % of ${total} genuine deliveries were answered 2xx`)
    if (p99Ms >= 1000) violations.push(`1 % of the genuine deliveries took ${p99Ms} ms or more`)
    const judged = await judge(world, worker)
    return {
      runs: runs * perBatch,
      violations: [...violations, ...judged.violations],
      figures: { genuine: total, share, p99Ms, answers: Object.fromEntries(answers), events: judged.events }
    }
  }
}
