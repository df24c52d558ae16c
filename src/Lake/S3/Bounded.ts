/**
 * Limits what the AWS SDK reads into memory: lists, acknowledgements and errors, which it would read to the end however
 * long they are. Beyond the limit the connection is closed, and the call fails with AnswerTooLarge. Files are streams,
 * whose readers have their own limits.
 */
import { Readable } from "node:stream"
import type { S3 } from "@aws-sdk/client-s3"

class AnswerTooLarge extends Error {
  override readonly name = "AnswerTooLarge"
}

/** What the SDK leaves untyped. */
interface Answer {
  readonly statusCode: number
  body: unknown
}

export const boundAnswers = (s3: S3, mostBytes: number): void =>
  s3.middlewareStack.add(
    (next, { commandName }) =>
      async (sent) => {
        const result = await next(sent)
        const answer = result.response as Answer
        const isFile = commandName === "GetObjectCommand" && answer.statusCode < 300
        if (!isFile && answer.body instanceof Readable) answer.body = Readable.from(bounded(answer.body, mostBytes))
        return result
      },
    // The lowest priority is the closest to the connection.
    { step: "deserialize", priority: "low", name: "boundAnswers" }
  )

async function* bounded(body: Readable, mostBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0
  for await (const piece of body as AsyncIterable<Buffer>) {
    bytes += piece.length
    if (bytes > mostBytes) throw new AnswerTooLarge(`more than ${mostBytes} bytes`)
    yield piece
  }
}
