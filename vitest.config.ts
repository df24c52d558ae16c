/**
 * Two forked workers: tests open DuckDB and SQLite files and spawn workers of their own, and the machines are small.
 * TEST_REPORT names a file for a JSON report beside the usual output (.ci/run counts from it).
 */
import { defineConfig } from "vitest/config"

const report = process.env.TEST_REPORT

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: report === undefined ? ["default"] : ["default", ["json", { outputFile: report }]]
  }
})
