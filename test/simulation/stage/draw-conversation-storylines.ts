import { instantOf } from './draw-request.ts';
import { drawAddress } from './draw-story.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from './durations.ts';
import type { Act } from './history.ts';
import { answerable, approvedTemplate, type DrawStoryline, writesAt } from './storyline-acts.ts';

/**
 * Draws keywords that a user writes within minutes, some of them in the same millisecond, and requests between them. If
 * the chat service's clock is ahead, and events are late, only the times in the messages show their order.
 */
export const drawChangesOfMind: DrawStoryline = (story, atMs) => {
  const { draw } = story;
  const contact = drawAddress(story);
  let writtenAtMs = atMs;
  return Array.from({ length: draw.integer(3, 8) }, (): readonly Act[] => {
    writtenAtMs += draw.chance(0.2) ? 0 : Math.round(draw.magnitude(1, 90 * SECOND_MS));
    return [
      { atMs: writtenAtMs, kind: 'user-writes', contact, text: draw.pick(['STOP', 'START', '{"button":"STOP"}']) },
      ...(draw.chance(0.5)
        ? [
            answerable(story, {
              atMs: writtenAtMs + draw.integer(0, 2 * SECOND_MS),
              contact,
              features: { withoutReason: 0 },
              ...approvedTemplate,
            }),
          ]
        : []),
    ];
  }).flat();
};

/**
 * Draws requests of bots, an operator who writes to their user, and often a handover to people. Some of the requests
 * wait until the operator has written, and others are handled at the same time.
 */
export const drawTakeover: DrawStoryline = (story, atMs) => {
  const { draw } = story;
  const contact = drawAddress(story);
  const tookOverAtMs = atMs + draw.integer(2 * SECOND_MS, 10 * SECOND_MS);
  const isHandedOver = draw.chance(0.7);
  const unlessTakenOver = { unless: ['operatorWroteSince' as const], since: instantOf(atMs) };
  const requests = [1, 2, 3, 4, 5, 6].map((place) => ({
    ...answerable(story, {
      contact,
      ...(place <= 3
        ? { atMs: atMs + place * 100, sendAtMs: tookOverAtMs + draw.integer(SECOND_MS, MINUTE_MS) }
        : { atMs: tookOverAtMs + draw.integer(0, 2 * SECOND_MS) }),
      fields: place % 2 === 0 ? { automated: true } : unlessTakenOver,
    }),
    groupId: `bot-${place}`,
  }));
  const handover = { kind: 'handover' as const, contact };
  return [
    writesAt(contact, atMs - SECOND_MS),
    ...requests,
    { atMs: tookOverAtMs, kind: 'echo', contact, text: 'Let me look.' },
    ...(isHandedOver
      ? [
          { ...handover, atMs: tookOverAtMs + draw.integer(0, SECOND_MS), to: 'people' as const },
          { ...handover, atMs: tookOverAtMs + HOUR_MS, to: 'automated' as const },
        ]
      : []),
  ];
};
