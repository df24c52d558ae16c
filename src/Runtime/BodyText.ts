/**
 * The text of an answer, read up to a maximum length. A longer text is cut off, so it is no longer valid JSON.
 */
import { Effect, Stream } from "effect"
import type { HttpClientResponse } from "effect/http"

export const bodyText = ({ stream }: HttpClientResponse.HttpClientResponse, mostCharacters: number) =>
  Effect.suspend(() => {
    let text = ""
    const reading = Stream.runForEachWhile(Stream.decodeText(stream), (piece) =>
      Effect.sync(() => (text += piece).length < mostCharacters)
    )
    return Effect.map(reading, () => text)
  })
