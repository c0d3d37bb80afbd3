import { CopyButton, CopyText } from '../components/copy.tsx';
import { counted } from '../components/counted.ts';
import { Link } from '../components/link.tsx';
import { formatElapsed } from '../components/time.ts';
import { store, type Timeline, useConsole } from '../state/console-state.ts';
import { hrefOf } from '../state/navigate.ts';
import { NO_FILTER, type Selection } from '../state/route.ts';
import { messageIdOf, requestIdOf } from '../state/timeline-subject.ts';
import { type Ordered, totalMs } from './order-steps.ts';
import type { TimelineStep } from './timeline-step.ts';

const HEADINGS: Readonly<Record<Selection['kind'], string>> = {
  message: 'Message timeline',
  request: 'Request timeline',
};

/** What the timeline is about: its ID, how long it took, and what belongs to it. */
export const TimelineHeading = (props: {
  selection: Selection;
  timeline: Timeline | undefined;
  steps: readonly Ordered<TimelineStep>[];
}) => {
  const { selection, timeline, steps } = props;
  const user = useConsole((state) => state.route.user);
  const messageId = selection.kind === 'message' ? undefined : timeline && messageIdOf(timeline);
  const requestId = selection.kind === 'request' ? undefined : timeline && requestIdOf(timeline);
  const contact = timeline?.contact;
  return (
    <header class="timeline-heading">
      <div class="row">
        <h2 tabIndex={-1}>{HEADINGS[selection.kind]}</h2>
        {steps.length > 0 && <p class="hint">{describeDuration(steps)}</p>}
        <CopyButton name="link" label="Copy link" text={linkToTimeline} />
        <Link class="close" to={{ selection: undefined }} label="Close the timeline">
          ×
        </Link>
      </div>
      <dl class="ids">
        <div>
          <dt>{selection.kind === 'message' ? 'Message ID' : 'Request ID'}</dt>
          <dd>
            <CopyText text={selection.id} />
          </dd>
        </div>
        {requestId !== undefined && (
          <Related name="Request" to={{ selection: { kind: 'request', id: requestId } }} text={requestId} />
        )}
        {messageId !== undefined && (
          <Related name="Message" to={{ selection: { kind: 'message', id: messageId } }} text={messageId} />
        )}
        {contact !== undefined && contact !== user && (
          <Related name="User" to={{ user: contact, selection }} text={contact} />
        )}
      </dl>
    </header>
  );
};

const Related = ({ name, to, text }: { name: string; to: Parameters<typeof hrefOf>[0]; text: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>
      <Link class="id" to={to}>
        {text}
      </Link>
    </dd>
  </div>
);

/** `3.2 s in 9 steps` */
const describeDuration = (steps: readonly Ordered<TimelineStep>[]): string => {
  const count = counted(steps.filter(({ step }) => !step.isPending).length, 'step');
  const total = totalMs(steps);
  return total === undefined ? count : `${formatElapsed(total)} in ${count}`;
};

/** The timeline and its user, whatever list is open. */
const linkToTimeline = (): string => {
  const { selection } = store.get().route;
  return new URL(hrefOf({ tab: 'user', filter: NO_FILTER, selection }), location.href).href;
};
