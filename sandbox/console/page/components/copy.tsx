import { showError, showNotice } from '../state/console-state.ts';

/** An id, or another short text, that a click copies. */
export const CopyText = ({ text }: { text: string }) => (
  <button type="button" class="copy id" title="Copy" aria-label={`Copy ${text}`} onClick={() => void copy(text, text)}>
    {text}
  </button>
);

/** A button that copies a text which is too long to be its label. */
export const CopyButton = ({ name, text, label = 'Copy' }: { name: string; text: () => string; label?: string }) => (
  <button type="button" class="copy" aria-label={`Copy ${name}`} onClick={() => void copy(text(), name)}>
    {label}
  </button>
);

/** Browsers allow pages to copy only on this machine or over https (https://www.w3.org/TR/clipboard-apis/). */
const copy = async (text: string, name: string): Promise<void> => {
  try {
    await navigator.clipboard.writeText(text);
    showNotice(`Copied: ${name}`);
  } catch {
    showError('Your browser blocked copying. Select the text and copy it manually.');
  }
};
