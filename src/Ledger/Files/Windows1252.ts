/**
 * Text in Windows-1252, for programs that can't read UTF-8. A character that it lacks becomes a question mark, and is
 * counted. Pure.
 */

/** The characters 128 to 159, where it differs from ISO 8859-1; a space where nothing is assigned. */
const special = "€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ"

const codes: ReadonlyMap<string, number> = new Map(
  [...special].flatMap((character, index) => (character === " " ? [] : [[character, 128 + index] as const]))
)

const questionMark = 63

export const windows1252 = (text: string): { readonly bytes: Uint8Array; readonly unknown: number } => {
  // A letter and its accent may be two characters; normalization makes them one.
  const characters = [...text.normalize("NFC")]
  const found = characters.map(codeOf)
  return {
    bytes: Uint8Array.from(found, (code) => code ?? questionMark),
    unknown: found.filter((code) => code === undefined).length
  }
}

const codeOf = (character: string): number | undefined => {
  const code = character.codePointAt(0) ?? questionMark
  return code < 128 || (code >= 160 && code < 256) ? code : codes.get(character)
}
