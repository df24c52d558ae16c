/**
 * Which telemetry leaves this process: none, unless the command line sends it to OpenTelemetry (`cli/Telemetry`).
 * Costly work is done only if it is wanted.
 */
import { Context, type Duration } from "effect"

export interface Sent {
  /** Spans are also made for deliveries. */
  readonly traces: boolean
  /** How often metrics are sent; undefined if never. */
  readonly metricsEvery: Duration.Duration | undefined
}

export const Telemetry = Context.Reference<Sent>("siteledger/Telemetry", {
  defaultValue: () => ({ traces: false, metricsEvery: undefined })
})
