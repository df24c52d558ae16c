/**
 * Which telemetry leaves this process: nothing, unless the command line sends it to OpenTelemetry (`cli/Telemetry`). What
 * costs time is done only where it is wanted.
 */
import { Context, type Duration } from "effect"

export interface Sent {
  /** Spans are made of deliveries, too. */
  readonly traces: boolean
  /** How often metrics are sent; undefined: never. */
  readonly metricsEvery: Duration.Duration | undefined
}

export const Telemetry = Context.Reference<Sent>("siteledger/Telemetry", {
  defaultValue: () => ({ traces: false, metricsEvery: undefined })
})
