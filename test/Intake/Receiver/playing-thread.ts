/** The thread of `PlayedHost`. */
import { parentPort, workerData } from "node:worker_threads"
import type { Guest, Labelled, RunGuest } from "../../../src/Stores/Deliveries.ts"
import { packed } from "../../../src/Stores/Packed.ts"
import type { Carried, Stored } from "./PlayedHost.ts"

const main = parentPort
if (main === null) throw new Error("the receiver's thread was started as a program")

const open = new Map<number, { readonly stored: () => void; readonly failed: (cause: Error) => void }>()
let nextId = 1

main.on("message", ({ failure, id }: Stored) => {
  const group = open.get(id)
  open.delete(id)
  if (failure === undefined) group?.stored()
  else group?.failed(new Error(failure))
})

const receive = (batch: ReadonlyArray<Labelled>): Promise<void> =>
  new Promise((stored, failed) => {
    const id = nextId++
    const group = packed(batch)
    open.set(id, { stored, failed })
    main.postMessage({ id, group } satisfies Carried, [group.bytes.buffer])
  })

const { data, module, port } = workerData as Guest
const { guest } = (await import(module)) as { readonly guest: RunGuest }
void guest(port, data, receive).then(() => main.close())
