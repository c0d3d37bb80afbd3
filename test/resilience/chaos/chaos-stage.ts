import { PutItemCommand } from '@aws-sdk/client-dynamodb';
import { marshall } from '@aws-sdk/util-dynamodb';
import { createManagementClient, type ManagementClient } from '../../../cli/operations/management-client.ts';
import { createSignedFetch } from '../../../cli/operations/signed-fetch.ts';
import { contactRef } from '../../../lambdas/domain/contact.ts';
import { CREDENTIALS, REGION } from '../../../local/base/aws-environment.ts';
import { createLocalClient, type LocalClient } from '../../../local/cloud/local-client.ts';
import type { LocalCloud, LocalOptions } from '../../../local/cloud/local-cloud.ts';
import type { FunctionPool } from '../../../local/functions/function-pool.ts';
import { startCheckedCloud } from '../../support/checked-cloud.ts';
import { contactItems } from '../../support/contact-items.ts';
import { RULE } from '../sending/sending-stage.ts';
import type { KilledFunction } from './parts.ts';
import type { PlannedContact, Profile } from './plan.ts';

/** A local run, with clients that bypass the faults. */
export interface ChaosStage extends AsyncDisposable {
  readonly cloud: LocalCloud;
  readonly client: LocalClient;
  readonly manage: ManagementClient;
  readonly functionOf: (name: KilledFunction) => FunctionPool;
  /** Returns the number of processes that are handling an invocation, over all functions. */
  readonly working: () => number;
}

export const ANSWER_TIMEOUT_SECONDS = 2;

/**
 * Short timeouts, so that the messages of a killed function are visible again after minutes, not a quarter of an hour.
 */
const SETTINGS = {
  chatService: { answerTimeoutSeconds: ANSWER_TIMEOUT_SECONDS },
  contactCheck: 'beforeFirstTemplate',
};
const CREDIT = 10_000_000;
const CALL_TIMEOUT_MS = 35_000;

const hasOptedIn = (profile: Profile): boolean => profile !== 'unknown';

/** Returns the contacts whose opt-in is in the table before the run starts. */
export const optedInBefore = (contacts: readonly PlannedContact[]): readonly string[] =>
  contacts.filter(({ profile }) => hasOptedIn(profile)).map(({ address }) => address);

export const OPTED_IN_AT = '2026-01-01T00:00:00.000Z';

export const startChaosStage = async (
  options: LocalOptions,
  contacts: readonly PlannedContact[],
): Promise<ChaosStage> => {
  await using stack = new AsyncDisposableStack();
  const cloud = stack.use(await startCheckedCloud({ ...options, settings: SETTINGS, warn: () => undefined }));
  const client = stack.use(createLocalClient(cloud));
  await client.putRule(RULE, { text: 'Parcel ${n}', category: 'shipping-status' });
  await client.control('PATCH', '/account', { credit: CREDIT });
  for (const { address, profile } of contacts) {
    if (!hasOptedIn(profile)) continue;
    for (const item of contactItems(contactRef('chat', address), { optInAt: OPTED_IN_AT })) {
      await cloud.emulators.dynamodb.send(new PutItemCommand({ TableName: cloud.tableName, Item: marshall(item) }));
    }
  }
  const signedFetch = createSignedFetch({ region: REGION, credentials: async () => CREDENTIALS }, CALL_TIMEOUT_MS);
  const functions = [...cloud.functions.values()];
  const resources = stack.move();
  return {
    cloud,
    client,
    manage: createManagementClient(cloud.managementUrl.replace(/\/$/, ''), signedFetch),
    functionOf(name) {
      const found = functions.find(({ declaration }) => declaration.logicalId.startsWith(name));
      if (found === undefined) throw new Error(`The stack has no function whose id starts with ${name}.`);
      return found;
    },
    working: () => functions.reduce((sum, pool) => sum + pool.working(), 0),
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
};
