import { z } from 'zod';

/** SQS delays a message for at most 15 minutes. */
const MAX_SILENCE_SECONDS = 900;

/** The maximum concurrency of the turn queue's event source mapping, which allows no fewer. */
export const MAX_TURN_INVOCATIONS = 2;

/** The setting `turns`. */
export const turnSettings = z
  .strictObject({
    silenceSeconds: z
      .int()
      .min(1)
      .max(MAX_SILENCE_SECONDS)
      .meta({
        description:
          `an integer from 1 to ${MAX_SILENCE_SECONDS}: how many seconds a user must be silent before a turn ends, ` +
          'such as 8',
      }),
  })
  .meta({
    description:
      'an object with silenceSeconds: the messages that a user sends before ' +
      'falling silent are also published together, as the event TurnEnded; omit it to publish only single messages',
  });
