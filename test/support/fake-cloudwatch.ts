import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenLocally } from '../../local/base/listen-locally.ts';

export const TOPIC = 'arn:aws:sns:eu-west-1:111122223333:alarms';

/** Items of an alarm's history, as CloudWatch words them. */
export const EXECUTED = `Successfully executed action ${TOPIC}`;
export const FAILED =
  `Failed to execute action ${TOPIC}. Received error: "CloudWatch Alarms is not authorized to perform: SNS:Publish on ` +
  `resource: ${TOPIC}"`;

interface HistoryItem {
  readonly AlarmName: string;
  readonly HistorySummary: string;
  /** In seconds since 1970. */
  readonly Timestamp: number;
}

interface FakeAlarm {
  readonly AlarmActions?: readonly string[];
  readonly ActionsEnabled?: boolean;
  readonly StateValue?: 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';
}

/** CloudWatch and STS with alarms whose actions, unlike those of the local run, notify something. */
export const startFakeCloudWatch = async (alarms: Readonly<Record<string, FakeAlarm>>) => {
  const history: HistoryItem[] = [];
  const calls: (readonly [operation: string, input: Readonly<Record<string, unknown>>])[] = [];
  const denied = new Set<string>();
  /** What the next change to ALARM adds to the history. */
  const onAlarm: HistoryItem[] = [];
  const answer = (operation: string, input: Readonly<Record<string, unknown>>): object => {
    switch (operation) {
      case 'DescribeAlarms':
        return {
          MetricAlarms: Object.entries(alarms).map(([name, alarm]) => ({
            AlarmName: nameOf(name),
            StateValue: 'OK',
            StateUpdatedTimestamp: 0,
            ...alarm,
          })),
        };
      case 'DescribeAlarmHistory': {
        const since = typeof input.StartDate === 'number' ? input.StartDate : 0;
        const own = history.filter((item) => item.AlarmName === input.AlarmName && item.Timestamp >= since);
        return { AlarmHistoryItems: own.toSorted((a, b) => b.Timestamp - a.Timestamp) };
      }
      default:
        if (input.StateValue === 'ALARM') history.push(...onAlarm);
        return {};
    }
  };
  const server = await listenLocally(
    createServer(async (request, response) => {
      const body = await text(request);
      if (body.includes('GetCallerIdentity')) {
        response.end('<Arn>arn:aws:iam::111122223333:user/ana</Arn><Account>111122223333</Account>');
        return;
      }
      const [, operation = ''] = String(request.headers['x-amz-target']).split('.');
      const input = JSON.parse(body);
      calls.push([operation, input]);
      const error = { __type: 'com.amazon.coral.service#AccessDeniedException', Message: 'User: x is not authorized' };
      response
        .writeHead(denied.has(operation) ? 400 : 200)
        .end(JSON.stringify(denied.has(operation) ? error : answer(operation, input)));
    }),
  );
  return { ...server, history, calls, denied, onAlarm };
};

/** The name of an alarm of the stack `Parley-prod`. */
export const nameOf = (alarm: string): string => `Parley-prod-Monitoring${alarm}0A1B2C3D-XyZ12345`;
