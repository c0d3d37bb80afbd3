import { z } from 'zod';

const arn = (service: string, resource: string) =>
  z.string().regex(new RegExp(`^arn:aws[a-z-]*:${service}:[a-z0-9-]+:\\d{12}:${resource}$`));

/** A name of at least three characters. Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html */
const TABLE = 'table/[A-Za-z0-9_.-]{3,255}';

/** The second form is that of a multi-Region key. */
const KEY = 'key/([0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|mrk-[0-9a-f]{32})';

/** The stream belongs to the table, and neither makes sense without the other. */
const tableWithStreamCheck = z.refine<{ tableArn?: string; tableStreamArn?: string }>(
  ({ tableArn, tableStreamArn }) =>
    tableArn === undefined ? tableStreamArn === undefined : tableStreamArn?.startsWith(`${tableArn}/stream/`) === true,
  { path: ['tableStreamArn'] },
);

const keyOfTableCheck = z.refine<{ tableArn?: string; tableKeyArn?: string }>(
  ({ tableArn, tableKeyArn }) => tableArn !== undefined || tableKeyArn === undefined,
  { path: ['tableKeyArn'] },
);

/** Resources of the stack's region that exist already, which the stack uses instead of creating its own. */
export const existingResources = z
  .strictObject({
    tableArn: arn('dynamodb', TABLE)
      .optional()
      .meta({
        description:
          "the ARN of a DynamoDB table in the stack's account and region, with the keys, indexes, stream, and TTL that " +
          'docs/existing-resources.md lists, and used by no other stage; omit it to create the table',
      }),
    tableStreamArn: arn('dynamodb', `${TABLE}/stream/[0-9T:.-]+`)
      .optional()
      .meta({
        description:
          'the ARN of the latest stream of existing.tableArn, which ends with the time at which it was enabled, such as ' +
          '".../stream/2026-11-20T12:00:00.000"; required with existing.tableArn, and omitted without it',
      }),
    tableKeyArn: arn('kms', KEY)
      .optional()
      .meta({
        description:
          'the ARN of the customer managed key that encrypts existing.tableArn; omit it if the table is encrypted with a ' +
          'key that AWS owns or manages, or if the stack creates the table',
      }),
    eventBusArn: arn('events', 'event-bus/[/.\\-_A-Za-z0-9]{1,256}')
      .optional()
      .meta({
        description:
          "the ARN of an event bus in the stack's account and region, on which the stage publishes its events; omit it to " +
          'create the event bus',
      }),
    keyArn: arn('kms', KEY)
      .optional()
      .meta({
        description:
          "the ARN of a KMS key in the stack's region that encrypts what customerManagedKey would encrypt, and whose " +
          'policy has the statements that docs/existing-resources.md lists; requires that customerManagedKey is false; ' +
          'omit it to use no key or to create one',
      }),
  })
  .check(tableWithStreamCheck, keyOfTableCheck)
  .prefault({})
  .meta({
    description: 'an object with tableArn, tableStreamArn, tableKeyArn, eventBusArn, and keyArn, all optional',
  });

export type ExistingResources = z.output<typeof existingResources>;
