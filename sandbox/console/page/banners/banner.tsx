import type { ComponentChildren } from 'preact';

/** A sentence about what needs attention, with the actions beside it. */
export const Banner = (props: {
  tone: 'error' | 'pending';
  sentence: ComponentChildren;
  children?: ComponentChildren;
}) => (
  <div class={`banner ${props.tone}`}>
    <p>{props.sentence}</p>
    <div class="row wrap">{props.children}</div>
  </div>
);
