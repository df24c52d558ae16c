/** Keeps what long work reports about itself: `name: done of total unit`, in order. */
import { Tasks } from "../src/Runtime/Progress.ts"

export class Told extends Tasks {
  readonly lines: Array<string> = []

  override begin(name: string, unit: string, total: number, startedAtMs: number) {
    const task = super.begin(name, unit, total, startedAtMs)
    const reached = (done: number): void => {
      task.reached(done)
      this.lines.push(
        `${name}: ${this.all.find((each) => each.name === name && each.unit === unit)?.done} of ${total} ${unit}`
      )
    }
    return { ...task, reached }
  }
}
