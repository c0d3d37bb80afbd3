import { contactKey } from '../../../lambdas/domain/contact.ts';
import type { Act, ActKind } from './history.ts';
import type { Stage } from './stage.ts';
import type { StageContext } from './stage-context.ts';
import { messageEvent, statusEvent } from './wire-events.ts';

/** Does what a history says, once per act. */
export const createPerformAct = (context: StageContext, stage: Stage): ((act: Act) => void) => {
  const { record } = context;
  const { chatService, delivery, queues } = stage;
  const counts = new Map<string, number>();
  /** The same for the same act of the same contact, so that other acts can be left out. */
  const numbered = (name: string): string => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return `${name}-${count}`;
  };
  const read = new Set<string>();

  const performers: { readonly [Kind in ActKind]: (act: Extract<Act, { kind: Kind }>) => void } = {
    'user-writes'({ contact, text }) {
      chatService.userWrites(contact);
      delivery.publish(messageEvent(context, { id: numbered(`message-from-${contactKey(contact)}`), contact, text }));
    },
    'user-reads'({ contact }) {
      const key = contactKey(contact);
      for (const { id, body, contact: user } of chatService.effects) {
        if (user !== key || read.has(id)) continue;
        read.add(id);
        delivery.publish(statusEvent(context, { id, body, STATUS: 'read' }));
      }
    },
    echo: notYet,
    'unknown-event': notYet,
    'forged-event': notYet,
    request({ via, body, groupId, deduplicationId }) {
      if (via === 'api') throw new Error('The simulated stage does not know requests by the management API yet.');
      queues.send.put({ body, groupId, deduplicationId });
    },
    cancel: notYet,
    resolve: notYet,
    consent: notYet,
    erase: notYet,
    redrive: notYet,
    credit: notYet,
    'rotate-token': notYet,
    template: notYet,
    platform: notYet,
    outage: notYet,
  };
  return (act) => {
    record({ kind: 'act', act });
    // Each performer is only called with its own kind of act.
    (performers[act.kind] as (performed: Act) => void)(act);
  };
};

const notYet = ({ kind }: Act): never => {
  throw new Error(`The simulated stage does not know the act ${kind} yet.`);
};
