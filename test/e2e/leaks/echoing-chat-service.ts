import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { type ListeningServer, listenLocally } from '../../../local/base/listen-locally.ts';
import { CANARIES } from '../../support/canaries.ts';

/** A request to the chat service: its body, and the access token that it carries. */
export interface ServiceRequest {
  readonly path: string;
  readonly body: string;
  readonly token: string;
}

/** An answer: an HTTP response, a connection that is closed after the request, or none at all. */
export type ServiceAnswer =
  | { readonly status: number; readonly body: unknown; readonly headers?: Readonly<Record<string, string>> }
  | 'reset'
  | 'silence';

export type AnswerRequest = (request: ServiceRequest) => ServiceAnswer;

/** A chat service whose answers a test decides. */
export interface EchoingChatService extends ListeningServer {
  /** The answers to calls by the request's id, which calls carry as `clientPayload`. Each is used once, in order. */
  readonly answers: Map<string, AnswerRequest[]>;
  /** Answers all other calls. */
  onSend: AnswerRequest;
  /** Answers contact checks. */
  onCheck: AnswerRequest;
}

/** Everything that an error can quote: the token, the number, and the request, in several encodings. */
export const echo = ({ body, token }: ServiceRequest): string =>
  [
    `for ${token} ${encodeURIComponent(token)} ${Buffer.from(`access-token: ${token}`).toString('base64')}`,
    `number ${CANARIES.number}, ${CANARIES.number.slice(1)}, +54 9 11 5550-9801, (011) 15 5550.9801`,
    `body ${body}`,
  ].join(' ');

/** The same, with the request first, because Parley stores only the start of an error's text. */
export const echoBody = (request: ServiceRequest): string => `${request.body} ${echo(request)}`;

const accepted: AnswerRequest = ({ body }) => ({ status: 200, body: { id: `out-${idOf(body)}`, problems: null } });

export const startEchoingChatService = async (): Promise<EchoingChatService> => {
  const answers: EchoingChatService['answers'] = new Map();
  const server = createServer(async (request, response) => {
    const received = { path: request.url ?? '', body: await text(request), token: tokenOf(request) };
    const isCheck = received.path.includes('checkChatContact');
    const answer = isCheck ? service.onCheck : (answers.get(idOf(received.body))?.shift() ?? service.onSend);
    const given = answer(received);
    if (given === 'silence') return;
    if (given === 'reset') return void request.socket.destroy();
    const isText = typeof given.body === 'string';
    response.writeHead(given.status, { 'content-type': isText ? 'text/plain' : 'application/json', ...given.headers });
    response.end(isText ? given.body : JSON.stringify(given.body));
  });
  const listening = await listenLocally(server);
  const service: EchoingChatService = {
    ...listening,
    answers,
    onSend: accepted,
    onCheck: ({ body }) => {
      const { contacts = [] } = JSON.parse(body);
      return {
        status: 200,
        body: { problems: null, result: Object.fromEntries(contacts.map((one: string) => [one, one])) },
      };
    },
  };
  return service;
};

const tokenOf = ({ headers }: IncomingMessage): string => String(headers['access-token'] ?? '');

const idOf = (body: string): string => {
  // A function that is killed leaves an incomplete body.
  const parsed: unknown = body.endsWith('}') ? JSON.parse(body) : undefined;
  return typeof parsed === 'object' && parsed !== null && 'clientPayload' in parsed ? String(parsed.clientPayload) : '';
};
