/**
 * A JSON text with line breaks and indentation for reading. Pure.
 *
 * Guarantees: only the space between tokens differs from the original. The text isn't parsed and serialized again,
 * which would lose digits of long numbers, repeated fields, and the original escapes.
 */
const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Undefined if it isn't JSON. */
export const indented = (text: string): string | undefined => {
  if (!isJson(text)) return undefined
  const tokens = text.match(token) ?? []
  const written: Array<string> = []
  let depth = 0
  const line = (): string => `\n${"  ".repeat(depth)}`
  tokens.forEach((each, at) => {
    const next = tokens[at + 1]
    if (each === "{" || each === "[") {
      if (next === "}" || next === "]") return void written.push(each)
      depth += 1
      return void written.push(each, line())
    }
    if (each === "}" || each === "]") {
      const before = tokens[at - 1]
      if (before === "{" || before === "[") return void written.push(each)
      depth -= 1
      return void written.push(line(), each)
    }
    if (each === ",") return void written.push(each, line())
    written.push(each === ":" ? ": " : each)
  })
  return written.join("")
}
