/**
 * A JSON text with line breaks and indentation for reading. Pure.
 *
 * Guarantees: nothing but the space between its tokens differs from the text. It isn't parsed and written again, which would
 * lose digits of long numbers, fields of the same name, and how a text was escaped.
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

/** Undefined if it is no JSON. */
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
