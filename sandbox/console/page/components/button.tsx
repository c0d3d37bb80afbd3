import type { ComponentChildren } from 'preact';
import { showNotice } from '../state/console-state.ts';

type Props = {
  /** Not given for a button that submits its form. */
  onClick?: () => void;
  /** Why the button cannot be used now, as a sentence. It can still be focused, so that everybody can find out. */
  disabledReason?: string | undefined;
  class?: string;
  label?: string;
  isPressed?: boolean;
  children: ComponentChildren;
};

/** A button that says why it is disabled: as a tooltip, to screen readers, and in the status bar when it is pressed. */
export const Button = ({ onClick, disabledReason, class: className, label, isPressed, children }: Props) => (
  <button
    type={onClick ? 'button' : 'submit'}
    class={className}
    aria-label={label}
    aria-pressed={isPressed}
    aria-disabled={disabledReason !== undefined}
    aria-description={disabledReason}
    title={disabledReason}
    onClick={(event) => {
      if (disabledReason === undefined) return onClick?.();
      event.preventDefault();
      showNotice(disabledReason);
    }}
  >
    {children}
  </button>
);
