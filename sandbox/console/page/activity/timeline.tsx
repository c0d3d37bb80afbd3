import { useMemo } from 'preact/hooks';
import { JsonBody } from '../components/json-view.tsx';
import { formatMilliseconds } from '../components/time.ts';
import { useConsole } from '../state/console-state.ts';
import type { Selection } from '../state/route.ts';
import { ResolveSend } from './resolve-send.tsx';
import type { StepSource, TimelineStep } from './timeline-step.ts';
import { timelineSteps, uncertainRequest } from './timeline-steps.ts';

const SOURCES: Readonly<Record<StepSource, { name: string; does: string }>> = {
  user: { name: 'User', does: 'Sends and reads messages on the phone.' },
  webhook: { name: 'Webhook', does: 'Receives signed events, verifies them, and acknowledges them once stored.' },
  table: { name: 'Table', does: 'Stores messages, sends, and contacts with their conversation windows.' },
  queue: { name: 'Send queue', does: 'Delivers requests in order for each contact.' },
  decision: {
    name: 'Decision',
    does: 'Picks free-form while the window is open and an approved template otherwise, or refuses with a reason.',
  },
  service: {
    name: 'Chat service',
    does: 'Accepts or rejects the call, then reports delivered and read statuses as events.',
  },
  bus: { name: 'Event bus', does: 'Notifies your other systems.' },
};

const HEADINGS: Readonly<Record<Selection['kind'], string>> = {
  message: 'Message timeline',
  request: 'Request timeline',
};

/** Every step of the selected message or request. */
export const Timeline = () => {
  const selection = useConsole((state) => state.route.selection);
  const timeline = useConsole((state) => state.timeline);
  const hasInspector = useConsole((state) => state.hasInspector);
  const steps = useMemo(() => (timeline ? timelineSteps(timeline) : []), [timeline]);
  if (selection === undefined) return <TimelineLegend />;
  const uncertain = timeline && uncertainRequest(timeline);
  return (
    <div class="timeline">
      <h2>{HEADINGS[selection.kind]}</h2>
      <p class="hint id">{selection.id}</p>
      {timeline !== undefined && steps.length === 0 && (
        <p class="hint">{selection.kind === 'request' ? 'Waiting in the send queue.' : 'No details available.'}</p>
      )}
      <ol class="steps">
        {steps.map((step, index) => (
          <Step key={`${index} ${step.source}`} step={step} />
        ))}
      </ol>
      {uncertain !== undefined && <ResolveSend key={uncertain} requestId={uncertain} />}
      {!hasInspector && (
        <p class="hint">
          Run <code>npm start</code> to also see how Parley processes it.
        </p>
      )}
    </div>
  );
};

const TimelineLegend = () => (
  <div class="timeline">
    <h2>Timeline</h2>
    <p class="hint">Select a message on the phone or an entry above to see what happened to it, when, and why.</p>
    <dl class="legend">
      {Object.values(SOURCES).map(({ name, does }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{does}</dd>
        </div>
      ))}
    </dl>
  </div>
);

const Step = ({ step }: { step: TimelineStep }) => (
  <li class={`step ${step.tone}`}>
    <p class="source">{SOURCES[step.source].name}</p>
    <h3>{step.title}</h3>
    {step.at !== undefined && <time dateTime={step.at}>{formatMilliseconds(step.at)}</time>}
    {step.detail !== undefined && <p class="detail">{step.detail}</p>}
    {step.bodies.map((body) => (
      <JsonBody key={body.name} {...body} />
    ))}
  </li>
);
