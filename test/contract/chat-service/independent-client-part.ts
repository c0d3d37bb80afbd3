import type { FidelityPart } from '../fidelity-part.ts';
import { installPython } from '../references/installed-tool.ts';
import { CLIENT_CASES } from './client-cases.ts';
import { clientTable, runClient } from './run-client.ts';

/** Runs a client that others wrote for services with the chat service's contract against the sandbox. */
export const independentClientPart: FidelityPart = {
  name: 'chat-service-client',
  description: 'the sandbox, called by an independent client of such a chat service, botmaker',
  source: 'the tests of the client',
  async run(cacheFolder) {
    const rows = await runClient(await installPython('botmaker', 'botmaker needs Python 3.10 or later', cacheFolder));
    const failures = rows.filter(({ isExpected }) => !isExpected).map(({ call }) => `${call.method}: ${call.name}`);
    return { passed: CLIENT_CASES.length - failures.length, differences: 0, failures, table: clientTable(rows) };
  },
};
