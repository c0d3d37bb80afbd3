/**
 * Prints how a message would be sent to each contact if it were sent now: as free-form text, as a template, or not at
 * all, and why. Nothing is sent.
 *
 *   node examples/management/forecast.ts +5491150000001 +5491150000002
 */
import { z } from 'zod';
import { callManagementApi } from './call-management-api.ts';

/** The fields that this program uses. docs/management-api.json has the schema of every response. */
const forecastResponse = z.object({
  forecasts: z.array(z.object({ contact: z.string(), decision: z.string(), why: z.string() })),
});

const contacts = process.argv.slice(2);
const MAX_CONTACTS = 500;
if (contacts.length === 0) throw new Error('Usage: node forecast.ts CONTACT...');

for (let start = 0; start < contacts.length; start += MAX_CONTACTS) {
  const response = await callManagementApi('POST', '/v1/forecasts', {
    contacts: contacts.slice(start, start + MAX_CONTACTS),
    messageText: 'We open at nine.',
    ruleNameOrId: 'opening_hours',
    reason: 'similar',
  });
  const { forecasts } = forecastResponse.parse(response);
  for (const { contact, decision, why } of forecasts) console.log(`${contact}: ${decision}. ${why}`);
}
