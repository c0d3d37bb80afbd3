import { formatMilliseconds } from '../components/time.ts';
import { isByOperator, type Message } from '../state/api.ts';
import type { Timeline } from '../state/console-state.ts';
import { versionSteps } from './edit-steps.ts';
import { idsOf, itemBodies, type TimelineStep } from './timeline-step.ts';

/** Returns the consent that a user's message recorded, unless a later keyword has replaced it. */
export const consentSteps = ({ trace }: Timeline): readonly TimelineStep[] => {
  const { contact, message, items } = trace ?? { items: {} };
  return (contact?.consents ?? [])
    .filter(({ origin, source }) => origin === 'user' && source.startsWith('keyword '))
    .filter(({ at }) => at === message?.createdAt)
    .map(({ kind, source }) => {
      const { title, detail } = RECORDED[kind];
      const text = `The message is the ${source}. ${detail}`;
      return { source: 'table', title, tone: 'success', detail: text, bodies: itemBodies(items.consent) };
    });
};

/** Returns the step of the request that confirms the opt-out of a user's message. */
export const confirmationSteps = ({ trace }: Timeline): readonly TimelineStep[] => {
  if (trace?.confirmation === undefined) return [];
  const { requestId, body } = trace.confirmation;
  return [
    {
      source: 'queue',
      title: 'Confirmation queued',
      tone: 'success',
      detail: 'It is the only message that the opt-out does not block.',
      ids: idsOf({ 'Request ID': requestId }),
      requestId,
      bodies: [{ name: 'Request', value: body }],
    },
  ];
};

const RECORDED = {
  'opt-out': {
    title: 'Opt-out recorded',
    detail: 'Templates are refused until the user opts in again, and free-form messages until the user writes again.',
  },
  'opt-in': { title: 'Opt-in recorded', detail: 'The business may write to the user first.' },
};

/** Returns the step of an operator who wrote a message in the chat service's console; none for other messages. */
export const operatorSteps = (message: Message | null): readonly TimelineStep[] =>
  isByOperator(message)
    ? [
        {
          source: 'service',
          title: 'An operator wrote a message',
          tone: 'success',
          detail: "In the chat service's console, so Parley learns of it from a webhook event.",
          at: message.at,
          ids: idsOf({ 'Message ID': message.id }),
          bodies: [{ name: 'Message', value: message }],
        },
      ]
    : [];

/** Returns what Parley stored about an operator's message, which comes back as an event. */
export const echoSteps = ({ trace }: Timeline): readonly TimelineStep[] => {
  if (trace?.echo === undefined) return [];
  const { echo, contact, items } = trace;
  const stored: TimelineStep = {
    source: 'table',
    title: 'Echo stored',
    tone: 'success',
    detail: 'A message from the business does not open a conversation window.',
    bodies: itemBodies(items.echo),
  };
  const { operatorWroteAt: writtenAt, operatorUntil: until } = contact ?? {};
  const edits = versionSteps(echo);
  if (writtenAt === undefined) return [stored, ...edits];
  const isLatest = writtenAt === echo.createdAt;
  const end = until === undefined ? '' : ` People answer until ${formatMilliseconds(until)} or the handback.`;
  const step: TimelineStep = {
    source: 'table',
    title: 'Operator recognized',
    tone: 'success',
    detail: `${isLatest ? "This is the operators' latest message." : `An operator has written again at ${formatMilliseconds(writtenAt)}.`}${end}`,
    bodies: itemBodies(items.handover),
  };
  return [stored, ...edits, step];
};
