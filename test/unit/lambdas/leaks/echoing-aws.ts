import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { type ListeningServer, listenLocally } from '../../../../local/base/listen-locally.ts';
import { CANARIES } from '../../../support/canaries.ts';

export type AwsInput = Readonly<Record<string, unknown>>;

/** The answer to a call: a result, or an error by its name. An error's message quotes the whole call. */
export type AwsAnswer = object | { readonly error: string; readonly item?: object };

/** AWS services, and a chat service at the same address, that answer as a test says and repeat what they receive. */
export interface EchoingAws extends ListeningServer {
  /** By operation, such as `UpdateItem`. Returns undefined for the answer of a call that succeeds. */
  readonly answers: Map<string, (input: AwsInput) => AwsAnswer | undefined>;
  /** The answer of the chat service. */
  chatService: {
    readonly status: number;
    readonly body: unknown;
    readonly headers?: Readonly<Record<string, string>>;
  };
}

const succeed = (operation: string, input: AwsInput): object => {
  const { MessageBody = '', Entries } = input;
  if (operation === 'SendMessage') {
    return { MessageId: 'message', MD5OfMessageBody: createHash('md5').update(String(MessageBody)).digest('hex') };
  }
  if (operation === 'GetSecretValue') return { SecretString: CANARIES.accessToken };
  if (operation === 'PutEvents' && Array.isArray(Entries)) {
    return { FailedEntryCount: 0, Entries: Entries.map((_, index) => ({ EventId: `event-${index}` })) };
  }
  if (operation === 'CreateSchedule') return { ScheduleArn: 'arn:aws:scheduler:::schedule/one' };
  return {};
};

export const startEchoingAws = async (): Promise<EchoingAws> => {
  const answers: EchoingAws['answers'] = new Map();
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const answer = (status: number, json: unknown, headers: Readonly<Record<string, string>> = {}) =>
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(json));
    if (request.url?.startsWith('/api/')) {
      const { status, body: json, headers } = aws.chatService;
      return void answer(status, json, headers);
    }
    const target =
      String(request.headers['x-amz-target'] ?? '')
        .split('.')
        .at(-1) ?? '';
    const operation = target === '' ? (request.method === 'POST' ? 'CreateSchedule' : 'DeleteSchedule') : target;
    const input: AwsInput = body === '' ? {} : JSON.parse(body);
    const given = answers.get(operation)?.(input);
    if (given === undefined || !('error' in given)) return void answer(200, given ?? succeed(operation, input));
    const { error, item } = { item: undefined, ...given };
    const message = `${request.url} refused: ${body} ${Object.values(CANARIES).join(' ')}`;
    answer(400, { __type: error, message, Message: message, Item: item });
  });
  const aws: EchoingAws = {
    ...(await listenLocally(server)),
    answers,
    chatService: { status: 200, body: { id: 'out' } },
  };
  return aws;
};
