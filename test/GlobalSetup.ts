/**
 * What all tests of a run share, made before the first and removed after the last: the worker as a bundle, and PostgreSQL.
 * Environment variables tell the test processes about both.
 */
import type { TestProject } from "vitest/node"
import * as Bundle from "./GlobalSetup/Bundle.ts"
import { variable } from "./GlobalSetup/Main.ts"
import * as PostgresServer from "./PostgresServer.ts"

export default async (project: TestProject): Promise<() => Promise<void>> => {
  const [bundle, server] = await Promise.all([Bundle.make(), PostgresServer.open()])
  process.env[variable] = bundle.main
  project.onTestsRerun(() => bundle.again())
  return server.close
}
