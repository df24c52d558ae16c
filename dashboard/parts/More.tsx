/**
 * The way to more rows of a list, with the number shown so far; nothing once all are shown.
 */
import { count, counted } from "../Format.ts"

interface More {
  readonly shown: number
  readonly total: number
  readonly nouns: readonly [one: string, several: string]
  readonly onMore: () => void
}

export const More = ({ nouns: [one, several], onMore, shown, total }: More) =>
  shown >= total ? null : (
    <p>
      <button type="button" onClick={onMore}>
        Show more
      </button>{" "}
      <span class="note">
        {count(shown)} of {counted(total, one, several)}
      </span>
    </p>
  )
