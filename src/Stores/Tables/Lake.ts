/**
 * What the Store keeps about exports and scheduled jobs.
 */
import { instant, int64, required, type Tables, text } from "../Table.ts"

export const lake = {
  exports: {
    says: "Exports that succeeded.",
    key: ["run"],
    columns: {
      run: required(text, "The run's id."),
      started_at: required(instant, "When it started."),
      finished_at: required(instant, "When it finished.")
    }
  },
  schedule: {
    says: "Scheduled jobs.",
    key: ["name"],
    columns: {
      name: required(text, "The job's name."),
      last_scheduled_ms: required(int64, "The last due time that was handled, in milliseconds since 1970.")
    }
  }
} satisfies Tables
