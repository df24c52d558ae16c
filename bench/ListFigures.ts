/**
 * The figures of lists that a person switches on: how they are discovered, and how many of them are walked at once.
 */
import type { Figure } from "./Figure.ts"

const paced = { bench: "lists", of: "120 lists, Premium plan" }
const wide = { bench: "wide" }

export const listFigures: ReadonlyArray<Figure> = [
  {
    figure: "`discover` of 854 operations",
    bench: "discover",
    at: "verbMs",
    unit: "ms",
    of: "from its start to the review file",
    atMost: 500
  },
  { figure: "the same, of JSON.parse", bench: "discover", at: "ofParse", of: "without the start of a process" },
  {
    figure: "its memory",
    bench: "discover",
    at: "grownMb",
    unit: "MB",
    of: "beyond what the process has anyway",
    atMost: 100
  },
  { ...paced, figure: "many lists: share of the plan", at: "share", atLeast: 0.98 },
  { ...paced, figure: "requests, of the least possible", at: "ofLeast", atMost: 1.02 },
  { ...paced, figure: "peak memory", at: "peakMb", unit: "MB", atMost: 350 },
  {
    ...paced,
    figure: "memory that grows",
    at: "grownMb",
    unit: "MB",
    of: "the last third beside the one before",
    atMost: 30
  },
  {
    figure: "many lists, without a plan",
    bench: "lists",
    at: "manyRowsPerSecond",
    unit: "rows/s",
    of: "300,000 wide records in 120 lists"
  },
  {
    figure: "the same, of `projects` alone",
    bench: "lists",
    at: "ratio",
    of: "as many records in one list",
    atLeast: 0.8
  },
  {
    ...wide,
    figure: "500 tables of 60 columns: restart until live",
    at: "many.started.seconds",
    unit: "s",
    of: "with nothing to walk",
    atMost: 2
  },
  { ...wide, figure: "the same, processor time", at: "many.started.cpuSeconds", unit: "s", of: "with the server's" },
  { ...wide, figure: "their export", at: "exportRatio", of: "of the same 2,000,000 rows in one table", atMost: 1.3 },
  { ...wide, figure: "the same, processor time", at: "exportCpuRatio", of: "of the same rows in one table" },
  {
    ...wide,
    figure: "their export, 200 rows in each",
    at: "few.exportRatio",
    of: "of the same 100,000 rows in one table"
  },
  {
    ...wide,
    figure: "the same, processor time",
    at: "few.exportCpuRatio",
    of: "of the same rows in one table"
  },
  {
    ...wide,
    figure: "their whole copy for analysts, processor time",
    at: "many.copied.cpuSeconds",
    unit: "s",
    of: "2,000,000 rows, with the server's"
  },
  { ...wide, figure: "the same of one table", at: "one.copied.cpuSeconds", unit: "s", of: "as many rows" }
]
