/**
 * What the Store remembers of exports and of what runs by the clock.
 */
import { instant, int64, required, type Tables, text } from "../Table.ts"

export const lake = {
  exports: {
    says: "The exports that ended well.",
    key: ["run"],
    columns: {
      run: required(text, "Its run."),
      started_at: required(instant, "When it began."),
      finished_at: required(instant, "When it ended.")
    }
  },
  schedule: {
    says: "What runs by the clock.",
    key: ["name"],
    columns: {
      name: required(text, "What it is."),
      last_scheduled_ms: required(int64, "The last time that it was due and taken care of, in milliseconds since 1970.")
    }
  }
} satisfies Tables
