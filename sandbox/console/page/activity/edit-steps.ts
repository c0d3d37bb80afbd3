import { formatMilliseconds } from '../components/time.ts';
import { editsOf, type Message, type MessageView } from '../state/api.ts';
import { itemBodies, type TimelineStep } from './timeline-step.ts';

/** Returns a step for each time at which the user edited the message. */
export const editSteps = (message: Message): readonly TimelineStep[] =>
  editsOf(message).map((at) => ({
    source: 'user',
    title: 'User edited the message',
    tone: 'success',
    detail: 'The chat service delivers the message again, with the same ID.',
    at,
    bodies: [],
  }));

/** Returns what Parley stored about the versions of a message or an echo, with their events; none for only one. */
export const versionSteps = ({ versions = [] }: Partial<MessageView> = {}): readonly TimelineStep[] =>
  versions.length === 0
    ? []
    : [
        {
          source: 'table',
          title: 'Edit stored',
          tone: 'success',
          detail: `Parley keeps every version (${versions.length} so far). The message shows the latest.`,
          bodies: versions.flatMap(({ modifiedAt, body }, index) =>
            itemBodies(body, `Version ${index + 1}, modified at ${formatMilliseconds(modifiedAt)}`),
          ),
        },
      ];
