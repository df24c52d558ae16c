/**
 * The cost of an export: a full one, one after no change, and one after the newest records have changed.
 */
import type { Figure } from "./Figure.ts"

export const exportFigures: ReadonlyArray<Figure> = [
  { figure: "export", bench: "export", at: "ratio", of: "the engine's COPY", atLeast: { duckdb: 1, postgres: 0.6 } },
  {
    figure: "export, nothing changed",
    bench: "export",
    at: "unchanged.seconds",
    unit: "s",
    of: "as many rows",
    atMost: 5
  },
  {
    figure: "its processor time",
    bench: "export",
    at: "unchanged.cpuSeconds",
    unit: "s",
    of: "of the worker",
    atMost: 5
  },
  {
    figure: "its bytes uploaded",
    bench: "export",
    at: "unchanged.mbWritten",
    unit: "MB",
    of: "beside the manifest",
    atMost: 1
  },
  {
    figure: "export, the newest hundredth of the records changed",
    bench: "export",
    at: "changed.share",
    of: "the whole export",
    atMost: 0.3
  },
  {
    figure: "its bytes uploaded",
    bench: "export",
    at: "changed.mbWritten",
    unit: "MB",
    of: "beside the manifest",
    atMost: 25
  }
]
