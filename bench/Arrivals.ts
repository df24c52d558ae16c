/**
 * When events arrived at a sink (`SinkServer.ts`), compared with when they were due. Also bare POSTs to the sink, with
 * only an id, which show how long the machine itself takes at that rate.
 */
import { Agent, request } from "node:http"
import type { Child } from "./Child.ts"
import type { Paid } from "./Payments.ts"
import { pause, until } from "./Waiting.ts"

/** By an event's id, in wall-clock milliseconds. */
export type Times = Readonly<Record<string, number>>

export const paidBy = ({ line }: Child): Readonly<Record<string, Paid>> =>
  JSON.parse(line) as Readonly<Record<string, Paid>>

/** When each of these arrived, once all have. */
export const arrivals = (sink: Child, ids: ReadonlyArray<string>): Promise<Times> =>
  until("everything has arrived at the sink", async () => {
    const arrivedAt = (await (await fetch(`http://127.0.0.1:${sink.line}`)).json()) as Times
    return ids.every((id) => arrivedAt[id] !== undefined) ? arrivedAt : undefined
  })

/** From the time at which each was due until it arrived. */
export const delays = async (sink: Child, dueAt: Times): Promise<ReadonlyArray<number>> => {
  const arrivedAt = await arrivals(sink, Object.keys(dueAt))
  return Object.entries(dueAt).map(([id, at]) => arrivedAt[id]! - at)
}

const post = (agent: Agent, port: string, id: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const sent = request({ agent, port: Number(port), host: "127.0.0.1", path: "/entries", method: "POST" })
    sent.once("error", reject)
    sent.once("response", (response) => response.resume().once("end", resolve))
    sent.end(JSON.stringify({ event_id: id }))
  })

let posted = 0

/** How long bare POSTs take, counted from when each is due. */
export const bare = async (sink: Child, count: number, perSecond: number): Promise<ReadonlyArray<number>> => {
  const agent = new Agent({ keepAlive: true })
  const dueAt: Record<string, number> = {}
  const first = Date.now()
  const under: Array<Promise<void>> = []
  for (let n = 0; n < count; n++) {
    const due = first + (n * 1000) / perSecond
    await pause(Math.max(0, due - Date.now()))
    const id = `bare-${posted++}`
    dueAt[id] = due
    under.push(post(agent, sink.line, id))
  }
  await Promise.all(under)
  agent.destroy()
  return delays(sink, dueAt)
}
