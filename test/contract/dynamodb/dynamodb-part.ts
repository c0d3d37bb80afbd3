import { deployedSchema } from '../../support/emulated-table.ts';
import { checkCases } from '../check-cases.ts';
import type { FidelityPart } from '../fidelity-part.ts';
import { startInstalled } from '../references/start-reference.ts';
import { DYNAMODB_CONTRACT } from './contract.ts';
import { DYNAMODB_DIFFERENCES } from './differences.ts';
import { connectToDynamoDb } from './dynamodb-tools.ts';

const REFERENCE = 'DynamoDB Local';

/** Checks DynamoDB Local, AWS's own implementation for development, against what AWS documents. */
export const dynamodbPart: FidelityPart = {
  name: 'dynamodb-local',
  description: `${DYNAMODB_CONTRACT.length} cases of what DynamoDB does, on ${REFERENCE}`,
  async run(cacheFolder) {
    await using running = await startInstalled(REFERENCE, cacheFolder);
    using dynamodb = connectToDynamoDb({ url: running.url, schema: deployedSchema() });
    return await checkCases(DYNAMODB_CONTRACT, dynamodb.observe, REFERENCE, DYNAMODB_DIFFERENCES);
  },
};
