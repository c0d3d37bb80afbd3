import { useMemo } from 'preact/hooks';
import { preciseTime } from '../parts/format-time.ts';
import { store } from '../state/console-state.ts';
import { useStore } from '../state/store.ts';
import { JsonBody } from './json-body.tsx';
import type { Step } from './step.ts';
import { waySteps } from './way-steps.ts';

const PARTS: Readonly<Record<Step['part'], string>> = {
  user: 'User',
  webhook: 'Webhook',
  table: 'Table',
  queue: 'Queue',
  decision: 'Decision',
  service: 'Chat service',
  bus: 'Bus',
};

const LEGEND: readonly (readonly [part: Step['part'], does: string])[] = [
  ['user', 'writes and reads on the phone.'],
  ['webhook', 'gets each event signed, verifies it, and acknowledges it once it is kept.'],
  ['table', 'holds messages, contacts with their windows, and sends, one item each.'],
  ['queue', 'brings requests to send, in order per contact.'],
  ['decision', 'free-form while the window is open, an approved template otherwise, or a refusal with its reason.'],
  ['service', 'takes the call, or says why not; then Delivered and Read come back as events.'],
  ['bus', 'tells your other systems.'],
];

/** The chosen message's way through the parts, bodies on demand. */
export const WayView = () => {
  const chosen = useStore(store, (state) => state.chosen);
  const way = useStore(store, (state) => state.way);
  const hasMachineRoom = useStore(store, (state) => state.hasMachineRoom);
  const steps = useMemo(() => (way ? waySteps(way) : []), [way]);
  return (
    <div class="way">
      <h2>{heading(chosen?.kind)}</h2>
      {chosen === undefined ? (
        <>
          <p class="hint">Choose a message on the phone, or a line above, to see each part it passed, when, and why.</p>
          <dl class="legend">
            {LEGEND.map(([part, does]) => (
              <div key={part}>
                <dt>{PARTS[part]}</dt>
                <dd>{does}</dd>
              </div>
            ))}
          </dl>
        </>
      ) : (
        <p class="hint id">{chosen.id}</p>
      )}
      {chosen !== undefined && way !== undefined && steps.length === 0 && (
        <p class="hint">{chosen.kind === 'request' ? 'It waits on the send queue.' : 'Nothing is known of it.'}</p>
      )}
      <ol class="steps">
        {steps.map((step, index) => (
          <li key={`${index} ${step.part}`} class={`step ${step.tone}`}>
            <p class="part">{PARTS[step.part]}</p>
            <h3>{step.title}</h3>
            {step.at !== undefined && <time dateTime={step.at}>{preciseTime(step.at)}</time>}
            {step.detail !== undefined && <p class="detail">{step.detail}</p>}
            {step.bodies.map(({ name, value }) => (
              <JsonBody key={name} name={name} value={value} />
            ))}
          </li>
        ))}
      </ol>
      {chosen !== undefined && !hasMachineRoom && (
        <p class="hint">What the webhook’s side does with it shows when both run under npm start.</p>
      )}
    </div>
  );
};

const heading = (kind: 'message' | 'request' | undefined): string => {
  switch (kind) {
    case undefined:
      return 'The way of a message';
    case 'message':
      return 'The way of this message';
    case 'request':
      return 'The way of this request';
  }
};
