import { z } from 'zod';

/** The error that a runtime reports, read from its JSON. */
export const invocationErrorSchema = z.object({
  errorType: z.string().default('Error'),
  errorMessage: z.string().default(''),
  trace: z.array(z.string()).optional(),
});
