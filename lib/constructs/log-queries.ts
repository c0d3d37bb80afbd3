import { Stack } from 'aws-cdk-lib';
import { CfnQueryDefinition, type ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';

/** Properties of {@link ParleyLogQueries}. */
export interface ParleyLogQueriesProps {
  /** The log groups of the functions. */
  readonly logGroups: readonly ILogGroup[];
}

const FIELDS = 'fields @timestamp, service, level, message, why, reason, requestId, id, deliveryId, traceId';
const OLDEST_FIRST = '| sort @timestamp asc\n| limit 1000';

/** What each query finds: comments that say what to fill in, and the condition. */
const QUERIES = {
  'Follow a request': {
    id: 'FollowARequest',
    comments: ['Replace REQUEST-ID by the request ID of a send.'],
    filter: "requestId = 'REQUEST-ID'",
  },
  'Follow a contact': {
    id: 'FollowAContact',
    comments: [
      'The logs contain no contact IDs. First list the IDs of the messages and requests of the contact:',
      '  parley conversation CONTACT --json',
      'Then replace FIRST-ID and SECOND-ID by these IDs; add as many as you need.',
    ],
    filter: "requestId in ['FIRST-ID', 'SECOND-ID'] or id in ['FIRST-ID', 'SECOND-ID']",
  },
  'Follow a trace': {
    id: 'FollowATrace',
    comments: ['Replace TRACE-ID by a trace ID: 32 hexadecimal digits, as in a traceparent header.'],
    filter: "traceId = 'TRACE-ID'",
  },
} as const;

/** Queries that CloudWatch Logs Insights offers under "Saved queries", in a folder with the stack's name. */
export class ParleyLogQueries extends Construct {
  constructor(scope: Construct, constructId: string, { logGroups }: ParleyLogQueriesProps) {
    super(scope, constructId);
    for (const [name, { id, comments, filter }] of Object.entries(QUERIES)) {
      new CfnQueryDefinition(this, id, {
        // A slash makes a folder.
        name: `${Stack.of(this).stackName}/${name}`,
        logGroupNames: logGroups.map(({ logGroupName }) => logGroupName),
        queryString: [...comments.map((line) => `# ${line}`), FIELDS, `| filter ${filter}`, OLDEST_FIRST].join('\n'),
      });
    }
  }
}
