/**
 * The life of one worker before the tests, so that theirs start sooner (bin/load.ts): it starts, walks, applies a
 * delivery, answers a verb and ends.
 */
import { dirname, join } from "node:path"
import { removeFolder } from "../Folders.ts"
import { startInterfaceServer } from "../InterfaceServer.ts"
import { environment, runOf, RunningWorker } from "../RunningWorker.ts"

export const warmUp = async (main: string): Promise<void> => {
  const server = await startInterfaceServer({ projects: 3 })
  const given = await environment({ ...server, ...server.settings })
  const own = { NODE_COMPILE_CACHE: join(dirname(main), "compiled") }
  const worker = RunningWorker.start({ ...given, ...own }, main)
  await worker.live()
  await server.deliver({ type: "ipc.paid", fields: { ipc_id: 1, payment_reference: "PAY-1" } })
  await worker.status("it is applied", ({ inbox }) => inbox.pending === 0)
  await runOf(main, { ...given, ...own }, "status")
  const { code, stderr } = await worker.stop()
  await server.close()
  removeFolder(given.SITELEDGER_DATA_DIR)
  if (code !== 0) throw new Error(stderr)
}
