/** What the bill assumes and does not count. Printed below the tables. */
export const ASSUMPTIONS = {
  /** Inbound messages, or statuses, or sends. It decides how many changes are published in one invocation. */
  eventsPerSecond: 10,
  /** "DynamoDB initially allocates 4 partitions" to an on-demand table; each has a shard of the stream. */
  streamShards: 4,
  /** Source: https://docs.aws.amazon.com/lambda/latest/dg/with-ddb.html, "Polling and batching streams" */
  pollsPerSecond: 4,
  /** How long a function waits for an answer of each service, besides its own processor time. */
  latencyMs: { dynamodb: 5, sqs: 10, eventBridge: 15, secretsManager: 20, scheduler: 20, chatService: 250 },
  /** A full vCPU. Source: https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html */
  memoryMbPerVcpu: 1_769,
  /** Source: https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html */
  idlePollersPerQueue: 5,
  longPollSeconds: 20,
  /**
   * X-Ray's default rule samples the first request of a second and 5% of the others.
   * Source: https://docs.aws.amazon.com/xray/latest/devguide/xray-console-sampling.html
   */
  tracedShareOfOthers: 0.05,
  secondsPerMonth: 730 * 60 * 60,
} as const;

/** The share of requests that X-Ray samples at the reference rate. */
export const TRACED_SHARE =
  (1 + (ASSUMPTIONS.eventsPerSecond - 1) * ASSUMPTIONS.tracedShareOfOthers) / ASSUMPTIONS.eventsPerSecond;

export type Service = keyof (typeof ASSUMPTIONS)['latencyMs'];

export const DURATION_NOTE =
  `Billed milliseconds: processor time as measured on this machine, without TLS, divided by the function's share of a ` +
  `vCPU (memory / ${ASSUMPTIONS.memoryMbPerVcpu} MB), plus the assumed time to wait for each call that follows another: ` +
  `${Object.entries(ASSUMPTIONS.latencyMs)
    .map(([service, ms]) => `${ms} ms for ${service}`)
    .join(', ')}. Rounded up to 1 ms. Warm: cold starts are left out.`;

export const RATE_NOTE =
  `At ${ASSUMPTIONS.eventsPerSecond} events per second, on ${ASSUMPTIONS.streamShards} shards that Lambda polls ` +
  `${ASSUMPTIONS.pollsPerSecond} times per second each. A queue's messages arrive one by one.`;
