/** What the receiver's thread reports about deliveries for traces: never more than are traced, however many come. */
import { assert, it } from "@effect/vitest"
import type { Report } from "../../../src/Intake/Receiver/Messages.ts"
import { Reporting } from "../../../src/Intake/Receiver/Reporting.ts"

it("the first hundred deliveries of each second are reported, each once", () => {
  const reports: Array<Report> = []
  const reporting = new Reporting((report) => void reports.push(report))
  const come = (endMs: number) => {
    for (let n = 0; n < 250; n++) {
      reporting.received({ eventId: `${endMs} ${n}`, startMs: endMs, endMs, bytes: 7, traceparent: undefined })
    }
  }
  come(1000)
  reporting.send()
  come(1999)
  reporting.send()
  come(2000)
  reporting.send()
  assert.deepStrictEqual(
    reports.map(({ received }) => [received.length, received[0]?.eventId, received.at(-1)?.eventId]),
    [
      [100, "1000 0", "1000 99"],
      [0, undefined, undefined],
      [100, "2000 0", "2000 99"]
    ]
  )
})
