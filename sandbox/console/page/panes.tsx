import type { ComponentChildren } from 'preact';
import { type Pane as Name, showPane, useConsole } from './state/console-state.ts';
import { navigate } from './state/navigate.ts';

const PANES: readonly (readonly [pane: Name, title: string])[] = [
  ['phone', 'Phone'],
  ['activity', 'Activity'],
  ['controls', 'Controls'],
];

/** Choose the pane that a narrow screen shows, and the one that a medium screen shows beside the activity. */
export const PaneTabs = () => {
  const pane = useConsole((state) => state.pane);
  const side = useConsole((state) => state.side);
  return (
    <>
      <Tabs of="narrow" panes={PANES} shown={pane} />
      <Tabs of="medium" panes={PANES.filter(([name]) => name !== 'activity')} shown={side} />
    </>
  );
};

const Tabs = ({ of, panes, shown }: { of: string; panes: typeof PANES; shown: Name }) => (
  <nav class={`pane-tabs ${of}`} aria-label="Console panes">
    {panes.map(([name, title]) => (
      <button type="button" key={name} aria-pressed={shown === name} onClick={() => navigate({}, name)}>
        {title}
      </button>
    ))}
  </nav>
);

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
      <button type="button" key={name} onClick={() => focusPane(name)}>
        Skip to {title.toLowerCase()}
      </button>
    ))}
  </p>
);

const focusPane = (name: Name): void => {
  const pane = document.getElementById(paneId(name));
  pane?.focus();
  if (document.activeElement === pane) return;
  // A pane without room is rendered in the next frame.
  showPane(name);
  requestAnimationFrame(() => requestAnimationFrame(() => pane?.focus()));
};

const paneId = (name: Name): string => `pane-${name}`;
