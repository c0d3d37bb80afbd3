import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { EVENT_NAMES } from '../../../../lambdas/domain/events/event-names.ts';
import { eventSamples } from '../../../../lib/documents/event-samples.ts';
import { detailSchemas, eventsSchema } from '../../../../lib/documents/event-schemas.ts';
import { eventsPage } from '../../../../lib/documents/events-page.ts';

const page = readFileSync(new URL('../../../../docs/events.md', import.meta.url), 'utf8');

describe('docs/events.md', () => {
  it('is up to date; "npm run schemas" writes the schemas', () => {
    expect(page).toBe(eventsPage(page));
  });

  it('documents every setting of a target', () => {
    for (const field of ['kind', 'queueArn', 'url', 'header', 'events']) expect(page).toContain(`| \`${field}\` |`);
  });
});

describe('the samples of events', () => {
  it('are one for each event, and match its JSON Schema', () => {
    const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true });
    formats.default(ajv);
    const validate = ajv.compile(eventsSchema());

    const faults = eventSamples().map((sample) => validate(sample) || ajv.errorsText(validate.errors));

    expect(faults).toEqual(EVENT_NAMES.map(() => true));
    expect(eventSamples().map((sample) => sample['detail-type'])).toEqual(EVENT_NAMES);
  });

  it('have every field except those that their events need not have', () => {
    const samples = eventSamples();
    const missing = detailSchemas().details.flatMap(({ name, schema }, index) =>
      Object.keys(schema.properties ?? {})
        // Only the sends of requests to customers have a `customerId`.
        .filter((field) => !(field in (samples[index]?.detail ?? {})) && !['truncated', 'customerId'].includes(field))
        .map((field) => `${name}.${field}`),
    );

    expect(missing).toEqual([
      'MessageReceived.imported',
      'MessageEchoed.imported',
      'MessageStatusChanged.content',
      'WebhookEventUnknown.imported',
      'SendRefused.outcome',
      'SendExpired.outcome',
      'SendCancelled.decision',
    ]);
  });
});
