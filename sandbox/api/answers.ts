import * as z from 'zod';

/** Contract, "Outbound message response"; `problems` is from the field notes, "The API's answers". */
export const sendAnswer = z.object({ id: z.string(), problems: z.null() });

/** Field notes, "The API's answers": each number as it was asked for, with its proper digits. */
export const contactCheckAnswer = z.object({
  problems: z.null(),
  result: z.record(z.string(), z.string().regex(/^\d+$/)),
});

/** Contract, "Errors". */
export const errorAnswer = z.object({ error: z.object({ code: z.int(), message: z.string() }) });
