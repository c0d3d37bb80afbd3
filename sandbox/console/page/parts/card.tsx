import type { ComponentChildren } from 'preact';

/** A section of the controls that can be folded away. */
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
