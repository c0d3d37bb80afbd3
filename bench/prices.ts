/** A list price, where it is published, and what it is for. */
export interface Price {
  readonly usd: number;
  /** What the price is for, such as `million requests`. */
  readonly per: string;
  readonly source: string;
}

/** Which prices the bills use, and when they were last compared with AWS's pages. */
export const PRICES_NOTE = 'List prices of us-east-1 on 2026-11-23.';

const DYNAMODB = 'https://aws.amazon.com/dynamodb/pricing/on-demand/';
const LAMBDA = 'https://aws.amazon.com/lambda/pricing/';
const CLOUDWATCH = 'https://aws.amazon.com/cloudwatch/pricing/';
const SECRETS = 'https://aws.amazon.com/secrets-manager/pricing/';
const SQS = 'https://aws.amazon.com/sqs/pricing/';

/** List prices without free tiers and volume discounts. */
export const PRICES = {
  /** The first 300 million requests of a month, metered per 512 KB. */
  httpApi: { usd: 1, per: 'million requests', source: 'https://aws.amazon.com/api-gateway/pricing/' },
  /** The first 333 million requests of a month. */
  restApi: { usd: 3.5, per: 'million requests', source: 'https://aws.amazon.com/api-gateway/pricing/' },
  lambdaRequests: { usd: 0.2, per: 'million requests', source: LAMBDA },
  lambdaArm64: { usd: 0.0000133334, per: 'GB-second', source: LAMBDA },
  lambdaX86: { usd: 0.0000166667, per: 'GB-second', source: LAMBDA },
  tableWrites: { usd: 0.625, per: 'million write request units', source: DYNAMODB },
  tableReads: { usd: 0.125, per: 'million read request units', source: DYNAMODB },
  tableStorage: { usd: 0.25, per: 'GB-month', source: DYNAMODB },
  tableBackup: { usd: 0.2, per: 'GB-month', source: DYNAMODB },
  bus: { usd: 1, per: 'million events of 64 KB', source: 'https://aws.amazon.com/eventbridge/pricing/' },
  standardQueue: { usd: 0.4, per: 'million requests of 64 KB', source: SQS },
  fifoQueue: { usd: 0.5, per: 'million requests of 64 KB', source: SQS },
  logs: { usd: 0.5, per: 'GB ingested', source: CLOUDWATCH },
  metric: { usd: 0.3, per: 'metric-month', source: CLOUDWATCH },
  alarm: { usd: 0.1, per: 'alarm-month', source: CLOUDWATCH },
  dashboard: { usd: 3, per: 'dashboard-month', source: CLOUDWATCH },
  secret: { usd: 0.4, per: 'secret-month', source: SECRETS },
  secretCalls: { usd: 5, per: 'million calls', source: SECRETS },
  traces: { usd: 5, per: 'million traces recorded', source: 'https://aws.amazon.com/xray/pricing/' },
} as const satisfies Readonly<Record<string, Price>>;
