import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { FormBusy } from '../components/button.tsx';
import { useBusy } from '../components/use-busy.ts';
import { rememberCard, wasCardOpen } from './open-cards.ts';

/** A collapsible section of the controls. The browser remembers whether it is open. */
export const Card = (props: {
  title: string;
  note?: ComponentChildren;
  /** Whether it is open until somebody closes it. */
  open?: boolean;
  onOpen?: () => void;
  children: ComponentChildren;
}) => {
  const { title, note, open = false, onOpen, children } = props;
  const [isOpen, setOpen] = useState(() => wasCardOpen(title) ?? open);
  return (
    <details
      class="card"
      open={isOpen}
      onToggle={({ currentTarget, target }) => {
        if (target !== currentTarget || currentTarget.open === isOpen) return;
        setOpen(currentTarget.open);
        rememberCard(title, currentTarget.open);
        if (currentTarget.open) onOpen?.();
      }}
    >
      <summary>
        <h3>{title}</h3>
        {note !== undefined && <span class="note">{note}</span>}
      </summary>
      <div class="card-body">{children}</div>
    </details>
  );
};

/** A form that never leaves the page, and that is not submitted again before its action has ended. */
export const Form = (props: { class?: string; onSubmit: () => Promise<unknown>; children: ComponentChildren }) => {
  const [isBusy, run] = useBusy();
  return (
    <form
      class={props.class ?? 'fields'}
      aria-busy={isBusy}
      onSubmit={(event) => {
        event.preventDefault();
        run(props.onSubmit);
      }}
    >
      <FormBusy.Provider value={isBusy}>{props.children}</FormBusy.Provider>
    </form>
  );
};

/** A setting that is on or off. It shows the service's value and changes only when the service confirms the change. */
export const Switch = (props: { label: string; isOn: boolean; onChange: (isOn: boolean) => Promise<unknown> }) => (
  <label class="switch">
    <input
      type="checkbox"
      role="switch"
      checked={props.isOn}
      aria-checked={props.isOn}
      onChange={({ currentTarget }) => void props.onChange(currentTarget.checked)}
    />
    {props.label}
  </label>
);
