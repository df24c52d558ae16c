/**
 * Places in a file that its format depends on, each of which is damaged alone: the pages of SQLite and the frames of
 * its log, the headers and blocks of DuckDB, the frames of a segment, the footer of a Parquet file.
 */

/** The offset at which each region begins, by its name. */
type Offsets = Readonly<Record<string, number>>

const sqliteLeaves: ReadonlySet<number> = new Set([10, 13])

/** Of a page: its type and free-space fields at the start, and its end, where the first cells are. */
const sqlite = (bytes: Buffer): Offsets => {
  const size = bytes.readUInt16BE(16)
  const pages = Array.from({ length: Math.floor(bytes.length / size) }, (_, n) => n * size)
  const leaf = pages.findLast((page) => page > 0 && sqliteLeaves.has(bytes[page] ?? 0))
  const ofLeaf = leaf === undefined ? {} : { "leaf page": leaf, "pointers of a leaf page": leaf + 8 }
  return { "page size": 14, "root page": 100, ...ofLeaf }
}

const walHeader = 32
const walFrameHeader = 24

const sqliteLog = (bytes: Buffer): Offsets => {
  const frame = walFrameHeader + bytes.readUInt32BE(8)
  const last = walHeader + (Math.floor((bytes.length - walHeader) / frame) - 1) * frame
  const first = { "first frame's header": walHeader, "first frame": walHeader + walFrameHeader + 100 }
  return { ...first, "last frame's header": last, "last frame": last + walFrameHeader + 100 }
}

const duckDbHeader = 4096
const duckDbBlock = 262_144

const duckDb = (bytes: Buffer): Offsets => {
  const blocks = Math.floor((bytes.length - 3 * duckDbHeader) / duckDbBlock)
  const inBlock = (n: number) => 3 * duckDbHeader + n * duckDbBlock + 512
  const headers = { "main header": 16, "first header": duckDbHeader + 12, "second header": 2 * duckDbHeader + 12 }
  return blocks === 0 ? headers : { ...headers, "first block": inBlock(0), "last block": inBlock(blocks - 1) }
}

/** A frame has the mark, a length and a checksum, then its number and its content. */
const segment = (bytes: Buffer): Offsets => {
  const second = bytes.length > 12 ? 12 + bytes.readUInt32BE(4) : 0
  return {
    "first mark": 0,
    "first number": 13,
    "first head": 32,
    "second length": second + 4,
    "second number": second + 13
  }
}

const parquet = (bytes: Buffer): Offsets => {
  const length = bytes.length - 8
  return { "first mark": 0, data: 8, footer: length - bytes.readUInt32LE(length) + 4, "footer's length": length - 2 }
}

const formats: ReadonlyArray<readonly [name: RegExp, regions: (bytes: Buffer) => Offsets]> = [
  [/\.sqlite$/, sqlite],
  [/\.sqlite-wal$/, sqliteLog],
  [/\.duckdb$/, duckDb],
  [/\.log$/, segment],
  [/\.parquet$/, parquet]
]

export const regionsOf = (file: string, bytes: Buffer): Offsets => {
  const format = formats.find(([name]) => name.test(file))
  return format === undefined ? {} : format[1](bytes)
}
