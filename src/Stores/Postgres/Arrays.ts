/**
 * Lists as PostgreSQL's protocol sends an array in binary (`array_send`). Nothing in them is escaped on either side,
 * and they are encoded before they are sent. The driver sends any buffer as binary; a cast to `text[]` or `bytea[]`
 * gives the type. Pure.
 */
const oids = { bytea: 17, text: 25 }
const headBytes = 20
const lengthBytes = 4
const nullLength = -1

const withHead = (oid: number, count: number, hasNulls: boolean, bytes: number): Buffer => {
  const array = Buffer.allocUnsafe(headBytes + lengthBytes * count + bytes)
  // The header: one dimension, whether some elements are null, their type, their number, and the lower bound.
  for (const [place, number] of [1, hasNulls ? 1 : 0, oid, count, 1].entries()) array.writeInt32BE(number, place * 4)
  return array
}

export const textArray = (values: ReadonlyArray<string | null>): Buffer => {
  let bytes = 0
  for (const value of values) if (value !== null) bytes += Buffer.byteLength(value)
  const array = withHead(oids.text, values.length, values.includes(null), bytes)
  let at = headBytes
  for (const value of values) {
    const length = value === null ? 0 : array.write(value, at + lengthBytes)
    array.writeInt32BE(value === null ? nullLength : length, at)
    at += lengthBytes + length
  }
  return array
}

export const byteaArray = (values: ReadonlyArray<Uint8Array>): Buffer => {
  const array = withHead(
    oids.bytea,
    values.length,
    false,
    values.reduce((sum, { byteLength }) => sum + byteLength, 0)
  )
  let at = headBytes
  for (const value of values) {
    at = array.writeInt32BE(value.byteLength, at)
    array.set(value, at)
    at += value.byteLength
  }
  return array
}
