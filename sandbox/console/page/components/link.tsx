import type { ComponentChildren, TargetedMouseEvent } from 'preact';
import { type Pane, useConsole } from '../state/console-state.ts';
import { hrefOf, navigate, type RouteChange } from '../state/navigate.ts';

interface Props {
  /** What the link shows. Everything else stays as it is. */
  readonly to: RouteChange;
  /** The pane that a narrow screen shows then. */
  readonly pane?: Pane;
  readonly class?: string;
  /** Whether the console already shows it. */
  readonly isCurrent?: boolean;
  /** False for rows that are reached with the arrow keys. */
  readonly isTabStop?: boolean;
  readonly label?: string;
  readonly children?: ComponentChildren;
}

/** A link within the console. It has a URL to copy or to open in another tab; a plain click does not load the page. */
export const Link = ({ to, pane, isCurrent = false, isTabStop = true, label, children, ...rest }: Props) => {
  // The URL contains the rest of the route, so it changes with it.
  useConsole((state) => state.route);
  return (
    <a
      {...rest}
      href={hrefOf(to)}
      aria-current={isCurrent ? 'true' : undefined}
      aria-label={label}
      tabIndex={isTabStop ? undefined : -1}
      onClick={(event) => {
        if (isForBrowser(event)) return;
        event.preventDefault();
        navigate(to, pane);
      }}
    >
      {children}
    </a>
  );
};

/** Returns whether a click asks for another tab or window, or to download. */
const isForBrowser = ({ button, metaKey, ctrlKey, shiftKey, altKey }: TargetedMouseEvent<HTMLAnchorElement>): boolean =>
  button !== 0 || metaKey || ctrlKey || shiftKey || altKey;
