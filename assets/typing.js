// Whether what has the focus takes letters: then a key is text and no command.

const WITHOUT_LETTERS = new Set(["range", "checkbox", "radio", "button", "submit"]);

/** @param {EventTarget | null} target */
export const typing = (target) =>
  target instanceof HTMLInputElement
    ? !WITHOUT_LETTERS.has(target.type)
    : target instanceof HTMLElement && (target.isContentEditable || target.matches("textarea, select, [role=textbox]"));
