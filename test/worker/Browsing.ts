/** A browser as the admin listener sees it: it keeps a cookie, and tells which page a request comes from. */
import { type IncomingMessage, request } from "node:http"
import type { RunningWorker } from "../RunningWorker.ts"

export interface Answered {
  readonly status: number | undefined
  readonly headers: IncomingMessage["headers"]
  readonly text: string
}

type Headers = Readonly<Record<string, string>>

export class Browsing {
  readonly #worker: RunningWorker
  cookie = ""

  constructor(worker: RunningWorker) {
    this.#worker = worker
  }

  get origin(): string {
    return this.#worker.note()?.admin ?? ""
  }

  /** Resolves with the head of the answer; `fetch` lets nobody choose these headers. */
  open(method: string, path: string, headers: Headers = {}, body = ""): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const all = { origin: this.origin, cookie: this.cookie, ...headers }
      const sent = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ""))
      request(`${this.origin}${path}`, { method, headers: sent, agent: false })
        .on("error", reject)
        .on("response", resolve)
        .end(body)
    })
  }

  async ask(method: string, path: string, headers: Headers = {}, body = ""): Promise<Answered> {
    const answer = await this.open(method, path, headers, body)
    let text = ""
    for await (const chunk of answer.setEncoding("utf8")) text += String(chunk)
    const [set] = answer.headers["set-cookie"] ?? []
    if (set !== undefined) this.cookie = set.split(";")[0] ?? ""
    return { status: answer.statusCode, headers: answer.headers, text }
  }

  async signIn(how: { readonly code: string } | { readonly token: string }): Promise<Answered> {
    return this.ask("POST", "/session", {}, JSON.stringify(how))
  }
}

/** Each message of a stream, as it comes. */
export async function* messages(
  stream: IncomingMessage
): AsyncGenerator<{ readonly event: string; readonly data: unknown }> {
  let text = ""
  for await (const chunk of stream.setEncoding("utf8")) {
    text += String(chunk)
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const lines = text.slice(0, end).split("\n")
      text = text.slice(end + 2)
      const of = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
      const [event, data] = [of("event"), of("data")]
      if (event !== undefined && data !== undefined) yield { event, data: JSON.parse(data) }
    }
  }
}
