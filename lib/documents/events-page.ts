import * as z from '../../lambdas/domain/schema.ts';
import { toldDetails } from '../../lambdas/domain/telling/told-details.ts';
import { TOLD_EVENT_NAMES } from '../../lambdas/domain/telling/told-event-names.ts';

/** The part of docs/events.md that is made from the code: each event with the JSON Schema of its detail. */
export const eventsPage = (handwritten: string): string => {
  const sections = TOLD_EVENT_NAMES.map((name) => {
    const { $schema: _dialect, ...schema } = z.toJSONSchema(toldDetails[name], { override: forConsumers });
    return `### ${name}\n\n${schema.description}\n\n\`\`\`json\n${JSON.stringify(schema, null, 2)}\n\`\`\`\n`;
  });
  const [before = ''] = handwritten.split(MARK);
  return `${before}${MARK}\n\n${sections.join('\n')}`;
};

/** A field may be added one day, and the format alone says what a time looks like. */
const forConsumers = ({ jsonSchema }: { readonly jsonSchema: z.core.JSONSchema.BaseSchema }): void => {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  if (jsonSchema.format === 'date-time') delete jsonSchema.pattern;
};

/** What stands above it in the page is written by hand. */
const MARK = '<!-- From here on the page is made by `npm run schemas`. -->';
