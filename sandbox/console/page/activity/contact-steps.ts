import { formatMilliseconds } from '../components/time.ts';
import { isByOperator, type Message, stringField } from '../state/api.ts';
import type { Timeline } from '../state/console-state.ts';
import { itemOf } from '../state/timeline-subject.ts';
import { idsOf, itemBody, type TimelineStep } from './timeline-step.ts';

/** Returns the consent that a user's message recorded, unless a later keyword has replaced it. */
export const consentSteps = (timeline: Timeline): readonly TimelineStep[] => {
  const consent = itemOf(timeline, 'CONSENT');
  const writtenAt = stringField(itemOf(timeline, 'MESSAGE'), 'createdAt');
  return KEYWORDS.flatMap(({ name, title, detail }): readonly TimelineStep[] => {
    const source = stringField(consent, `${name}Source`) ?? '';
    const isOwn = stringField(consent, `${name}At`) === writtenAt && source.startsWith('keyword ');
    if (consent === undefined || writtenAt === undefined || !isOwn) return [];
    const text = `The message is the ${source}. ${detail}`;
    return [{ source: 'table', title, tone: 'success', detail: text, bodies: [itemBody('Table item', consent)] }];
  });
};

/** Returns the step of the request that confirms the opt-out of a user's message. */
export const confirmationSteps = ({ trace }: Timeline): readonly TimelineStep[] => {
  const requestId = stringField(trace?.confirmation, 'pk')?.replace(/^SEND#/, '');
  if (requestId === undefined) return [];
  return [
    {
      source: 'queue',
      title: 'Confirmation queued',
      tone: 'success',
      detail: 'It is the only message that the opt-out does not block.',
      ids: idsOf({ 'Request ID': requestId }),
      requestId,
      bodies: [{ name: 'Request', value: stringField(trace?.confirmation, 'body') }],
    },
  ];
};

const KEYWORDS = [
  {
    name: 'userOptOut',
    title: 'Opt-out recorded',
    detail: 'Templates are refused until the user opts in again, and free-form messages until the user writes again.',
  },
  { name: 'userOptIn', title: 'Opt-in recorded', detail: 'The business may write to the user first.' },
];

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
export const echoSteps = (timeline: Timeline): readonly TimelineStep[] => {
  const echo = itemOf(timeline, 'ECHO');
  const handover = itemOf(timeline, 'HANDOVER');
  if (echo === undefined) return [];
  const stored: TimelineStep = {
    source: 'table',
    title: 'Echo stored',
    tone: 'success',
    detail: 'A message from the business does not open a conversation window.',
    bodies: [itemBody('Table item', echo)],
  };
  const writtenAt = stringField(handover, 'operatorWroteAt');
  if (handover === undefined || writtenAt === undefined) return [stored];
  const isLatest = writtenAt === stringField(echo, 'createdAt');
  const until = stringField(handover, 'operatorUntil');
  const end = until === undefined ? '' : ` People answer until ${formatMilliseconds(until)} or the handback.`;
  const step: TimelineStep = {
    source: 'table',
    title: 'Operator recognized',
    tone: 'success',
    detail: `${isLatest ? "This is the operators' latest message." : `An operator has written again at ${formatMilliseconds(writtenAt)}.`}${end}`,
    bodies: [itemBody('Table item', handover)],
  };
  return [stored, step];
};
