import { beforeEach, describe, expect, it } from 'vitest';
import { contactRef } from '../../../../../lambdas/domain/contact.ts';
import { NOW, wireMessage } from '../../../../support/builders.ts';
import { contractTables } from '../../../../support/contract-tables.ts';
import { outbound } from './message-builders.ts';
import { type Repositories, repositoriesOf } from './repositories.ts';

const tables = contractTables();
let repositories: Repositories;

beforeEach(async () => {
  repositories = repositoriesOf(tables.tableOf(await tables.createTable()));
});

const ANA = '5491155550001';
const JUAN = '5491155550002';
const SECRET = 'My diagnosis is flu.';

const receive = (wire: Record<string, unknown>) =>
  repositories.storeEvent({ rawBody: Buffer.from(JSON.stringify(wireMessage(wire))), receivedAt: NOW });

const conversationOf = async (user: string) => {
  const { messages } = await repositories.messages.readConversation([{ subject: contactRef('chat', user) }], {
    limit: 10,
  });
  return messages.map(({ text }) => text);
};

describe("a message that Parley sent, with the id of another user's message", () => {
  it("leaves that user's message as it is, in that user's conversation alone", async () => {
    await receive({ FROM: ANA, MESSAGE: SECRET });
    const before = await repositories.messages.read('message-1');
    await repositories.messages.recordOutbound(outbound({ contact: contactRef('chat', JUAN) }));

    expect(await repositories.messages.read('message-1')).toEqual(before);
    expect(await conversationOf(ANA)).toEqual([SECRET]);
    expect(await conversationOf(JUAN)).toEqual([]);
  });
});
