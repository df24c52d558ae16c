/**
 * Asks for confirmation, in words, before an action takes effect. While it is being done, nothing can be pressed twice;
 * a refusal by the worker is shown in the same place, and the typed text is kept.
 */
import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { sentenceOf } from "../Api.ts"

interface Confirm {
  readonly title: string
  /** What will happen. */
  readonly children: ComponentChildren
  /** The label of the button that does it. */
  readonly does: string
  readonly isDanger?: boolean
  readonly act: () => Promise<unknown>
  /** Also called once it is done. */
  readonly onClose: () => void
}

export const Confirm = ({ act, children, does, isDanger = false, onClose, title }: Confirm) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const [isBusy, setBusy] = useState(false)
  const [sentence, setSentence] = useState<string>()
  useEffect(() => {
    const before = document.activeElement
    dialog.current?.showModal()
    // By then the dialog is gone and couldn't restore the focus.
    return () => before instanceof HTMLElement && before.focus()
  }, [])
  const confirm = async (): Promise<void> => {
    setBusy(true)
    setSentence(undefined)
    try {
      await act()
      onClose()
    } catch (cause) {
      setSentence(sentenceOf(cause))
      setBusy(false)
    }
  }
  const onCancel = (cancel: Event): void => {
    cancel.preventDefault()
    if (!isBusy) onClose()
  }
  return (
    <dialog ref={dialog} aria-labelledby="confirm-title" onCancel={onCancel}>
      <h2 id="confirm-title">{title}</h2>
      {children}
      {sentence === undefined ? null : (
        <p class="complaint" role="alert">
          {sentence}
        </p>
      )}
      <div class="actions">
        <button type="button" class={isDanger ? "danger" : "primary"} disabled={isBusy} onClick={() => void confirm()}>
          {isBusy ? "One moment…" : does}
        </button>
        {/* The harmless one has the focus. */}
        <button type="button" autoFocus disabled={isBusy} onClick={onClose}>
          Back
        </button>
      </div>
    </dialog>
  )
}
