import { z } from 'zod';

/** A request to send a message: free-form, a template, or both, of which the window decides. */
export const sendRequestSchema = z.object({
  requestId: z.string().min(1).max(128),
  platformContactId: z.string().min(1),
  messageText: z.string().optional(),
  ruleNameOrId: z.string().optional(),
  params: z.record(z.string(), z.string()).optional(),
});

export type SendRequest = z.infer<typeof sendRequestSchema>;
