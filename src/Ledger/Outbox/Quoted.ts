/**
 * What an accounting system said, as part of a sentence for people: one line without control characters, shortened if
 * long, and without secrets, which a careless system might repeat. Pure.
 */
export const quoted = (text: string, secrets: ReadonlyArray<string>, mostCharacters: number): string => {
  const line = secrets
    .filter((secret) => secret !== "")
    .reduce((hidden, secret) => hidden.replaceAll(secret, "[secret]"), text)
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\s]+/gu, " ")
    .trim()
  return line.length > mostCharacters ? `${line.slice(0, mostCharacters)}…` : line
}

/** At the end of a sentence, including its full stop. */
export const quotedLast = (text: string, secrets: ReadonlyArray<string>, mostCharacters: number): string => {
  const line = quoted(text, secrets, mostCharacters).replace(/\.$/, "")
  if (line === "") return "."
  return line.endsWith("…") ? `: ${line}` : `: ${line}.`
}
