import { describe, expect, it } from 'vitest';
import { messageGroup as messageGroupOfParley } from '../../../../lambdas/domain/contact.ts';
import { messageGroup } from '../../../../sandbox/console/page/state/message-group.ts';

describe("the console's message groups", () => {
  it.each(['+5491150000001', 'CO.1000a', 'x'.repeat(128)])('are the contact itself: %s', async (contact) => {
    expect(await messageGroup(contact)).toBe(contact);
  });

  it.each(['+54 9 11 5000-0001', "Zoë's chat", 'x'.repeat(129), ''])(
    'are those of the management API if SQS refuses the contact: %s',
    async (contact) => {
      const group = await messageGroup(contact);

      expect(group).toMatch(/^[0-9a-f]{64}$/);
      expect(group).toBe(messageGroupOfParley(contact));
    },
  );
});
