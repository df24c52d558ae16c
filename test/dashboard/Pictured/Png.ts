/**
 * Makes a browser's PNG smaller, by a palette: a page of text has few colours that matter. Only for what Chromium writes of an
 * opaque page: 8 bits of red, green and blue, not interlaced.
 */
import { crc32, deflateSync, inflateSync } from "node:zlib"

const signatureBytes = 8
const pixelBytes = 3

interface Chunk {
  readonly type: string
  readonly data: Buffer
}

const chunksOf = (png: Buffer): ReadonlyArray<Chunk> => {
  const chunks: Array<Chunk> = []
  for (let at = signatureBytes; at < png.length;) {
    const length = png.readUInt32BE(at)
    chunks.push({ type: png.toString("latin1", at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) })
    at += 12 + length
  }
  return chunks
}

const written = ({ data, type }: Chunk): Buffer => {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

const paeth = (left: number, above: number, corner: number): number => {
  const guess = left + above - corner
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - above), Math.abs(guess - corner)]
  if (a <= b && a <= c) return left
  return b <= c ? above : corner
}

const added = (filter: number, left: number, above: number, corner: number): number => {
  if (filter === 1) return left
  if (filter === 2) return above
  if (filter === 3) return (left + above) >> 1
  return filter === 4 ? paeth(left, above, corner) : 0
}

/** Each line behind a zero, which says that it is no difference. */
const plain = (lines: Buffer, lineBytes: number): Buffer => {
  const out = Buffer.from(lines)
  for (let start = 0; start < out.length; start += lineBytes) {
    const filter = out[start] ?? 0
    out[start] = 0
    for (let at = start + 1; at < start + lineBytes; at++) {
      const hasLeft = at - start > pixelBytes
      const left = hasLeft ? (out[at - pixelBytes] ?? 0) : 0
      const above = start === 0 ? 0 : (out[at - lineBytes] ?? 0)
      const corner = hasLeft && start > 0 ? (out[at - lineBytes - pixelBytes] ?? 0) : 0
      out[at] = ((out[at] ?? 0) + added(filter, left, above, corner)) & 255
    }
  }
  return out
}

const mostColours = 256

const distance = (one: number, other: number): number =>
  [16, 8, 0].reduce((sum, shift) => sum + (((one >> shift) & 255) - ((other >> shift) & 255)) ** 2, 0)

interface Colour {
  readonly colour: number
  readonly count: number
  /** Of the palette, the nearest. */
  place: number
  off: number
}

/** One by one, the colour whose pixels are furthest from what there is: what is small and alone in its colour keeps that, too. */
const paletteOf = (colours: ReadonlyArray<number>) => {
  const counts = new Map<number, number>()
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1)
  const all: ReadonlyArray<Colour> = [...counts].map(([colour, count]) => ({ colour, count, place: 0, off: 1e6 }))
  const palette: Array<number> = []
  while (palette.length < mostColours) {
    const worst = all.reduce((one, other) => (other.off * other.count > one.off * one.count ? other : one))
    if (worst.off === 0) break
    for (const each of all) {
      const off = distance(each.colour, worst.colour)
      if (off < each.off) Object.assign(each, { off, place: palette.length })
    }
    palette.push(worst.colour)
  }
  return { palette, places: new Map(all.map(({ colour, place }) => [colour, place])) }
}

export const smaller = (png: Buffer): Buffer => {
  const chunks = chunksOf(png)
  const header = Buffer.from(chunks.find(({ type }) => type === "IHDR")?.data ?? "")
  if (header.toString("hex", 8) !== "0802000000") throw new Error("Another kind of PNG.")
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  const parts = chunks.filter(({ type }) => type === "IDAT").map(({ data }) => data)
  const lines = plain(inflateSync(Buffer.concat(parts)), 1 + pixelBytes * width)
  const colours = Array.from({ length: width * height }, (_, at) =>
    lines.readUIntBE(1 + Math.floor(at / width) + at * pixelBytes, pixelBytes)
  )
  const { palette, places } = paletteOf(colours)
  const out = Buffer.alloc((1 + width) * height)
  colours.forEach((colour, at) => (out[1 + Math.floor(at / width) + at] = places.get(colour) ?? 0))
  header[9] = 3
  return Buffer.concat([
    png.subarray(0, signatureBytes),
    written({ type: "IHDR", data: header }),
    written({
      type: "PLTE",
      data: Buffer.from(palette.flatMap((colour) => [16, 8, 0].map((by) => (colour >> by) & 255)))
    }),
    written({ type: "IDAT", data: deflateSync(out, { level: 9 }) }),
    written({ type: "IEND", data: Buffer.alloc(0) })
  ])
}
