/**
 * Help in at most 80 columns: a longer line continues below the column in which its text begins. Examples, which are
 * meant to be copied, stay unchanged. Pure.
 */

const widest = 80

// oxlint-disable-next-line no-control-regex
const shown = (text: string): string => text.replaceAll(/\u001B\[\d+m/g, "")

/** The second column, the text of a list item, or the beginning of the line. */
const indent = (line: string): number => /^ *(?:- |\S+(?: \S+)* {2,}(?=\S))?/.exec(shown(line))?.[0].length ?? 0

const fit = (line: string): string => {
  const below = " ".repeat(indent(line))
  const lines: Array<string> = []
  for (const word of line.split(/(?<=\S) (?=\S)/)) {
    const last = lines.at(-1)
    if (last === undefined) lines.push(word)
    else if (shown(`${last} ${word}`).length > widest) lines.push(below + word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines.join("\n")
}

export const fitted = (help: string): string => {
  const [text = "", ...examples] = help.split(/^(?=\S*EXAMPLES)/m)
  return [text.split("\n").map(fit).join("\n"), ...examples].join("")
}
