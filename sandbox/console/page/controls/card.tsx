import type { ComponentChildren } from 'preact';

/** A collapsible section of the controls. */
export const Card = (props: {
  title: string;
  note?: ComponentChildren;
  open?: boolean;
  children: ComponentChildren;
}) => (
  <details class="card" open={props.open}>
    <summary>
      <h3>{props.title}</h3>
      {props.note !== undefined && <span class="note">{props.note}</span>}
    </summary>
    <div class="card-body">{props.children}</div>
  </details>
);

/** A form that never leaves the page. */
export const Form = ({ onSubmit, children }: { onSubmit: () => Promise<unknown>; children: ComponentChildren }) => (
  <form
    class="fields"
    onSubmit={(event) => {
      event.preventDefault();
      void onSubmit();
    }}
  >
    {children}
  </form>
);

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
