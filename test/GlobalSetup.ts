/**
 * The parts that all tests of a run share, made before the first and removed after the last: the worker as a bundle,
 * and PostgreSQL. Environment variables tell the test processes about both.
 */
import type { TestProject } from "vitest/node"
import * as Bundle from "./GlobalSetup/Bundle.ts"
import { variable } from "./GlobalSetup/Main.ts"
import { warmUp } from "./GlobalSetup/WarmUp.ts"
import * as PostgresServer from "./PostgresServer.ts"

const made = async (): Promise<Bundle.Bundle> => {
  const bundle = await Bundle.make()
  await warmUp(bundle.main)
  return bundle
}

export default async (project: TestProject): Promise<() => Promise<void>> => {
  const [bundle, server] = await Promise.all([made(), PostgresServer.open()])
  process.env[variable] = bundle.main
  project.onTestsRerun(async () => {
    await bundle.again()
    await warmUp(bundle.main)
  })
  return server.close
}
