/** A server that speaks PostgreSQL's protocol and answers every query alike. */
import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"

const message = (type: string, ...parts: ReadonlyArray<Buffer>): Buffer => {
  const content = Buffer.concat(parts)
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeInt32BE(content.length + 4, 1)
  return Buffer.concat([head, content])
}

const int16 = (value: number): Buffer => Buffer.from([value >> 8, value & 255])
const int32 = (value: number): Buffer => Buffer.concat([int16(value >> 16), int16(value & 65_535)])
const text = (value: string): Buffer => Buffer.from(`${value}\0`)

const textType = 25
const column = (name: string): Buffer =>
  Buffer.concat([text(name), int32(0), int16(0), int32(textType), int16(-1), int32(-1), int16(0)])
const value = (shown: string): Buffer => Buffer.concat([int32(Buffer.byteLength(shown)), Buffer.from(shown)])

export interface Answering extends AsyncDisposable {
  readonly url: string
  readonly port: number
}

/** With this row of texts. */
export const answering = (row: Readonly<Record<string, string>>): Promise<Answering> => {
  const names = Object.keys(row)
  const rows = [
    message("T", int16(names.length), ...names.map(column)),
    message("D", int16(names.length), ...Object.values(row).map(value)),
    message("C", text("SELECT 1")),
    ready
  ]
  return serving(rows)
}

/** With a row that ends before its first value does. */
export const breaking = (): Promise<Answering> => serving([message("D", int16(2), int32(1_000_000))])

const ready = message("Z", Buffer.from("I"))

const serving = async (rows: ReadonlyArray<Buffer>): Promise<Answering> => {
  const server = createServer((socket) => {
    socket.on("error", () => undefined)
    socket.once("data", () => {
      socket.write(Buffer.concat([message("R", int32(0)), ready]))
      socket.on("data", (chunk) => {
        const prepared = chunk[0] === "P".charCodeAt(0) ? [message("1"), message("2")] : []
        if (chunk[0] !== "X".charCodeAt(0)) socket.write(Buffer.concat([...prepared, ...rows]))
      })
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  return {
    url: `postgres://hush:hush@127.0.0.1:${port}/books`,
    port,
    [Symbol.asyncDispose]: async () => {
      server.close()
    }
  }
}
