import type { ComponentChildren } from 'preact';
import { type Pane as Name, useConsole } from './state/console-state.ts';
import { navigate } from './state/navigate.ts';

const PANES: readonly (readonly [pane: Name, title: string])[] = [
  ['phone', 'Phone'],
  ['activity', 'Activity'],
  ['controls', 'Controls'],
];

/** Chooses the pane that a narrow screen shows. */
export const PaneTabs = () => {
  const pane = useConsole((state) => state.pane);
  return (
    <nav class="pane-tabs" aria-label="Console panes">
      {PANES.map(([name, title]) => (
        <button type="button" key={name} aria-pressed={pane === name} onClick={() => navigate({}, name)}>
          {title}
        </button>
      ))}
    </nav>
  );
};

/** A part of the page. Every other part starts with a button that skips to it. */
export const Pane = ({ name, children }: { name: Name; children: ComponentChildren }) => (
  <section
    class={`pane ${name}-pane`}
    id={paneId(name)}
    aria-label={PANES.find(([one]) => one === name)?.[1]}
    tabIndex={-1}
  >
    <SkipLinks from={name} />
    {children}
  </section>
);

/** Buttons that move the keyboard's focus to another pane. Visible only while they have the focus. */
export const SkipLinks = ({ from }: { from?: Name }) => (
  <p class="skip-links">
    {PANES.filter(([name]) => name !== from).map(([name, title]) => (
      <button type="button" key={name} onClick={() => document.getElementById(paneId(name))?.focus()}>
        Skip to {title.toLowerCase()}
      </button>
    ))}
  </p>
);

const paneId = (name: Name): string => `pane-${name}`;
