import type { DynamoDBClient, UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import type { _Record, AttributeValue } from '@aws-sdk/client-dynamodb-streams';
import type { ContractCase } from '../contract-case.ts';

export type Values = Readonly<Record<string, unknown>>;

/** The parts of an update that a case specifies. The key and the rest of the request are fixed. */
export interface CaseUpdate extends Partial<Omit<UpdateItemCommandInput, 'Key'>> {
  readonly values?: Values;
}

/** The tools of a case: a table with the keys, indexes, and stream of the stack. */
export interface DynamoDbTools {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly put: (item: Values) => Promise<void>;
  /** Updates the item `a a`. Returns the attributes that DynamoDB returns. */
  readonly update: (update: CaseUpdate) => Promise<Values | undefined>;
  readonly get: (pk: string) => Promise<Values | undefined>;
  /** Returns the records of the table's stream. */
  readonly records: () => Promise<readonly _Record[]>;
}

export type DynamoDbCase = ContractCase<DynamoDbTools>;
export type Image = Record<string, AttributeValue>;

const GUIDE = 'https://docs.aws.amazon.com/amazondynamodb/latest/developerguide';
const API = 'https://docs.aws.amazon.com/amazondynamodb/latest/APIReference';

/** The pages of the AWS documentation that the cases cite. */
export const SOURCES = {
  batchGetItem: `${API}/API_BatchGetItem.html`,
  conditions: `${GUIDE}/Expressions.OperatorsAndFunctions.html`,
  consistency: `${GUIDE}/HowItWorks.ReadConsistency.html`,
  deleteItem: `${API}/API_DeleteItem.html`,
  indexes: `${GUIDE}/GSI.html`,
  itemSize: `${GUIDE}/CapacityUnitCalculations.html`,
  limits: `${GUIDE}/Constraints.html`,
  names: `${GUIDE}/Expressions.ExpressionAttributeNames.html`,
  pagination: `${GUIDE}/Query.Pagination.html`,
  query: `${API}/API_Query.html`,
  reservedWords: `${GUIDE}/ReservedWords.html`,
  streams: `${GUIDE}/Streams.html`,
  transactions: `${API}/API_TransactWriteItems.html`,
  types: `${GUIDE}/HowItWorks.NamingRulesDataTypes.html`,
  updateExpressions: `${GUIDE}/Expressions.UpdateExpressions.html`,
  updateItem: `${API}/API_UpdateItem.html`,
} as const;
