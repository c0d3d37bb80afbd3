import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { showNotice } from '../state/console-state.ts';
import { useBusy } from './use-busy.ts';

interface Props {
  /** Not given for a button that submits its form. While the promise that it returns is pending, clicks are ignored. */
  readonly onClick?: () => unknown;
  /** Why the button cannot be used now, as a sentence. It can still be focused, so that everybody can find out. */
  readonly disabledReason?: string | undefined;
  readonly class?: string;
  readonly label?: string;
  readonly isPressed?: boolean;
  readonly children: ComponentChildren;
}

/** Whether the form around a button is waiting for its action. */
export const FormBusy = createContext(false);

/** A button that says why it is disabled: as a tooltip, to screen readers, and in the status bar when it is pressed. */
export const Button = ({ onClick, disabledReason, class: className, label, isPressed, children }: Props) => {
  const [isRunning, run] = useBusy();
  const isFormBusy = useContext(FormBusy);
  const isBusy = isRunning || (isFormBusy && onClick === undefined);
  return (
    <button
      type={onClick ? 'button' : 'submit'}
      class={className}
      aria-label={label}
      aria-pressed={isPressed}
      aria-busy={isBusy}
      aria-disabled={isBusy || disabledReason !== undefined}
      aria-description={disabledReason}
      title={disabledReason}
      onClick={(event) => {
        if (disabledReason === undefined) return onClick && run(onClick);
        event.preventDefault();
        showNotice(disabledReason);
      }}
    >
      {children}
    </button>
  );
};
