/**
 * The receiver's own thread, for an engine that has none for deliveries: each group goes to the main thread and is stored
 * from there.
 */
import { parentPort, workerData } from "node:worker_threads"
import type { Labelled } from "../../Stores/Deliveries.ts"
import { packed } from "../../Stores/Packed.ts"
import type { Carried, OwnStart, Stored } from "./Messages.ts"
import { guest } from "./receiving.ts"

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

const { data, port } = workerData as OwnStart
void guest(port, data, receive).then(() => main.close())
