import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { CopyText } from '../components/copy.tsx';
import { JsonBody } from '../components/json-view.tsx';
import { Link } from '../components/link.tsx';
import { formatDay, formatElapsed, formatMilliseconds, withReadableTimes } from '../components/time.ts';
import { FirstRun, NextItem, OpenChecklist } from '../first-run/checklist.tsx';
import { type Timeline as Loaded, useConsole } from '../state/console-state.ts';
import type { Selection } from '../state/route.ts';
import { NextAction } from './next-action.tsx';
import type { Ordered } from './order-steps.ts';
import { TimelineHeading } from './timeline-heading.tsx';
import type { StepSource, TimelineStep } from './timeline-step.ts';
import { timelineSteps } from './timeline-steps.ts';

const SOURCES: Readonly<Record<StepSource, { name: string; does: string }>> = {
  user: { name: 'User', does: 'Sends and reads messages on the phone.' },
  webhook: { name: 'Webhook', does: 'Receives signed events, verifies them, and acknowledges them once stored.' },
  table: { name: 'Table', does: 'Stores messages, sends, and contacts with their conversation windows.' },
  queue: { name: 'Send queue', does: 'Delivers requests in order for each contact.' },
  decision: {
    name: 'Decision',
    does: 'Sends free-form text while the window is open, and otherwise an approved template, or refuses with a reason.',
  },
  service: {
    name: 'Chat service',
    does: 'Accepts or rejects the call, then reports delivered and read statuses as events.',
  },
  bus: { name: 'Event bus', does: 'Notifies your other systems.' },
};

/** Every step of the selected message or request. */
export const Timeline = () => {
  const selection = useConsole((state) => state.route.selection);
  const timeline = useConsole((state) => state.timeline);
  const hasInspector = useConsole((state) => state.hasInspector);
  const steps = useMemo(() => (timeline ? timelineSteps(timeline) : []), [timeline]);
  const frame = useTopOf(selection);
  if (selection === undefined) return <FirstRun fallback={<TimelineLegend />} />;
  return (
    <div class="timeline" ref={frame}>
      <NextItem />
      <TimelineHeading selection={selection} timeline={timeline} steps={steps} />
      {timeline !== undefined && steps.length === 0 && <p class="hint">{describeMissing(timeline)}</p>}
      {timeline !== undefined && <NextAction timeline={timeline} />}
      <ol class="steps">
        {withKeys(steps).map(([key, ordered]) => (
          <Step key={key} ordered={ordered} />
        ))}
      </ol>
      {!hasInspector && (
        <p class="hint">
          Run <code>npm start</code> to also see how Parley processes it.
        </p>
      )}
    </div>
  );
};

/** Shows another timeline from its start. Focuses it if what had the focus, such as a form, is gone. */
const useTopOf = (selection: Selection | undefined) => {
  const frame = useRef<HTMLDivElement>(null);
  const shown = useRef(selection);
  useLayoutEffect(() => {
    const isOther = shown.current !== undefined && shown.current !== selection;
    shown.current = selection;
    const element = frame.current;
    if (!isOther || element === null) return;
    element.scrollTop = 0;
    const { activeElement } = document;
    const isLost = activeElement === document.body || element.contains(activeElement);
    if (isLost) element.querySelector<HTMLElement>('.timeline-heading h2')?.focus({ preventScroll: true });
  }, [selection]);
  return frame;
};

const describeMissing = ({ selection: { kind, id } }: Loaded): string =>
  kind === 'request'
    ? `Request ${id} is not in the table. It may still be in the queue, or be from an earlier run.`
    : `Message ${id} was not found. It may be from an earlier run.`;

const TimelineLegend = () => (
  <div class="timeline">
    <h2>Timeline</h2>
    <p class="hint">Select a message on the phone or an entry of a list to see what happened to it, when, and why.</p>
    <dl class="legend">
      {Object.values(SOURCES).map(({ name, does }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
    <OpenChecklist />
  </div>
);

/** Names each step, so that an expanded one stays expanded while others appear before it. */
const withKeys = (steps: readonly Ordered<TimelineStep>[]): readonly (readonly [string, Ordered<TimelineStep>])[] => {
  const counts = new Map<string, number>();
  return steps.map((ordered) => {
    const { source, title } = ordered.step;
    const count = (counts.get(`${source} ${title}`) ?? 0) + 1;
    counts.set(`${source} ${title}`, count);
    return [`${source} ${title} ${count}`, ordered];
  });
};

const Step = ({ ordered: { step, sinceMs } }: { ordered: Ordered<TimelineStep> }) => (
  <li class={`step ${step.tone}`}>
    <p class="source">{SOURCES[step.source].name}</p>
    <h3>{step.title}</h3>
    {step.at !== undefined && (
      <p class="when">
        <time dateTime={step.at} title={formatDay(step.at)}>
          {formatMilliseconds(step.at)}
        </time>
        {sinceMs !== undefined && <span class="since">+{formatElapsed(sinceMs)}</span>}
      </p>
    )}
    {step.detail !== undefined && <p class="detail">{withReadableTimes(step.detail)}</p>}
    {step.requestId !== undefined && (
      <p class="detail">
        <Link to={{ selection: { kind: 'request', id: step.requestId } }} label={`Show the request: ${step.title}`}>
          Show the request
        </Link>
      </p>
    )}
    {step.ids !== undefined && step.ids.length > 0 && (
      <dl class="ids">
        {step.ids.map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <CopyText text={value} />
            </dd>
          </div>
        ))}
      </dl>
    )}
    {step.bodies.map((body) => (
      <JsonBody key={body.name} {...body} />
    ))}
  </li>
);
