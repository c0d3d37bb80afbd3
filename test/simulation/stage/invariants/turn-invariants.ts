import { MAX_TURN_MESSAGES } from '../../../../lambdas/domain/turns/turn.ts';
import { isDiscardedIn } from './publishing-invariants.ts';
import { idIn, isErased, type Recorded, type StageFacts } from './stage-facts.ts';
import type { StageInvariant } from './stage-invariant.ts';

export const TURN_INVARIANTS = {
  everyMessageInOneTurn: {
    sentence:
      "In a stage with turns, every user's message is added to exactly one turn, that of its contact, when it is stored, " +
      'unless it was erased and that turn still has it. Nothing else is added.',
    check(facts, { checked, violated }) {
      if (!hasTurns(facts)) return;
      const added = Map.groupBy(additionsOf(facts), ({ id }) => id);
      const arrived = Map.groupBy(arrivalsOf(facts), ({ id }) => id);
      for (const [id, arrivals] of arrived) {
        checked();
        // After an erasure, a message that is delivered again is stored as a new one.
        const turns = added.get(id) ?? [];
        if (turns.length !== arrivals.length) {
          violated(`${id} was stored ${arrivals.length} times and added to ${turns.length} turns.`, arrivals[0]?.index);
        }
        const other = turns.find(({ name }) => arrivals.every(({ contact }) => name !== `${contact} TURN`));
        if (other) violated(`${id} is in a turn of ${other.name}.`, other.index);
      }
      for (const [id, turns] of added) {
        if (!arrived.has(id)) violated(`${id} is in a turn, and no user wrote it.`, turns[0]?.index);
      }
    },
  },

  turnsEndAfterSilence: {
    sentence: 'A turn ends only after the silence of the stage, unless it is full or its contact is being erased.',
    check(facts, { checked, violated }) {
      const silenceMs = (facts.run.history.features.turnSilenceSeconds ?? 0) * 1000;
      for (const { key, before, atMs, index } of endsOf(facts)) {
        if (isErasing(facts, index) || idsOf(before).length >= MAX_TURN_MESSAGES) continue;
        checked();
        // A message that an erasure removed can be added again while it still counts in the turn.
        const addsMessage = ({ before, after }: Recorded<'write'>) => idsOf(after).length > idsOf(before).length;
        const latest = facts.writesOf(key).findLast((write) => write.index < index && addsMessage(write));
        if (latest && atMs - latest.atMs < silenceMs) {
          violated(`${key} ended ${atMs - latest.atMs} ms after a message.`, index);
        }
      }
    },
  },

  everyTurnEnds: {
    sentence: 'In the end, no turn is open, unless a dead letter about its latest message says why.',
    check(facts, { checked, violated }) {
      if (!hasTurns(facts)) return;
      const isDiscarded = isDiscardedIn(facts);
      const deadTurns = facts.run.queued['publish-dead-letters'].map(({ body }) => body);
      for (const name of facts.namesOf('CONTACT#').filter(isTurn)) {
        checked();
        const turn = facts.run.items.get(name);
        const latest = facts.writesOf(name).at(-1);
        if (turn === undefined || latest === undefined || isDiscarded(latest.index)) continue;
        if (deadTurns.some((body) => body.includes(JSON.stringify(turn.firstMessageId)))) continue;
        violated(`${name} is still open: ${idsOf(turn).join(', ')}.`, latest.index);
      }
    },
  },

  turnsAreTrue: {
    sentence:
      'A published turn has the messages that were added to it, ordered by time, except those that were erased.',
    check(facts, { checked, violated }) {
      const ends = Map.groupBy(endsOf(facts), ({ key }) => key);
      for (const { detailType, detail, index } of facts.entries('published')) {
        if (detailType !== 'TurnEnded') continue;
        checked();
        const { contact, at, messages } = detail as TurnDetail;
        const name = `CONTACT#${contact.platform}#${contact.channel}#${contact.key} TURN`;
        const end = ends.get(name)?.find((one) => new Date(one.atMs).toISOString() === at);
        const ids = idsOf(end?.before);
        const published = messages.map(({ messageId }) => messageId);
        const isMissing = (id: string) => !published.includes(id) && !isErased(facts, `MESSAGE#${id} MESSAGE`, index);
        const missing = ids.filter(isMissing);
        const others = published.filter((id) => !ids.includes(id));
        const times = messages.map((message) => message.at);
        const isOrdered = times.every((time, place) => place === 0 || String(times[place - 1]) <= time);
        if (missing.length + others.length > 0 || !isOrdered || new Set(published).size < published.length) {
          violated(`The turn of ${ids.join(', ')} was published with ${published.join(', ')}.`, index);
        }
      }
    },
  },
} as const satisfies Record<string, StageInvariant>;

interface TurnDetail {
  readonly contact: { readonly platform: string; readonly channel: string; readonly key: string };
  readonly at: string;
  readonly messages: readonly { readonly messageId: string; readonly at: string }[];
}

const hasTurns = ({ run }: StageFacts): boolean => run.history.features.turnSilenceSeconds !== undefined;

const isTurn = (name: string): boolean => name.endsWith(' TURN');

const idsOf = (item: Readonly<Record<string, unknown>> | undefined): readonly string[] =>
  item?.messageIds instanceof Set ? [...item.messageIds] : [];

const writesOfTurns = (facts: StageFacts): readonly Recorded<'write'>[] =>
  facts.entries('write').filter(({ key }) => isTurn(key));

/** The writes that ended turns. */
const endsOf = (facts: StageFacts) => writesOfTurns(facts).filter(({ after }) => after === undefined);

const isErasing = (facts: StageFacts, index: number): boolean => facts.invocationAt({ index })?.function === 'erase';

/** Each message that was added to a turn, every time. */
const additionsOf = (facts: StageFacts) =>
  writesOfTurns(facts).flatMap(({ key: name, before, after, index }) => {
    const known = idsOf(before);
    return idsOf(after)
      .filter((id) => !known.includes(id))
      .map((id) => ({ id, name, index }));
  });

/**
 * Each user's message that was stored for the first time, and again after an erasure. An erasure removes messages before
 * it ends the turn, and leaves a turn that is newer.
 */
const arrivalsOf = (facts: StageFacts) =>
  facts.entries('write').flatMap(({ key, before, after, index }) => {
    const isMessage = key.startsWith('MESSAGE#') && key.endsWith(' MESSAGE') && after?.direction === 'inbound';
    const isOwn = after?.isFromStatus === undefined;
    const wasKnown = before?.createdAt !== undefined && before.isFromStatus === undefined;
    if (!isMessage || !isOwn || wasKnown) return [];
    const [id, contact] = [idIn(key), String(after.contact)];
    const turn = facts.writesOf(`${contact} TURN`).findLast((write) => write.index < index)?.after;
    return idsOf(turn).includes(id) ? [] : [{ id, contact, index }];
  });
