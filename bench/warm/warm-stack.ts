import { functionEnvironment } from '../../local/functions/execution-environment.ts';
import { startCountingProxy } from '../../test/support/counting-proxy.ts';
import { freeFormRequest, inboundMessage, postOfMessages, statusOfSend } from '../functions/job-events.ts';
import type { RecordedStack } from '../functions/recorded-stack.ts';
import { startWarmFunction } from '../functions/warm-function.ts';
import { contactAddress } from '../load/pushed-event.ts';
import type { WarmKind } from './warm-kinds.ts';

/** What a batch of events used. */
export interface WarmBatch {
  /** Per event. */
  readonly cpuMs: number;
  /** The calls of the whole batch to DynamoDB, by operation. */
  readonly calls: readonly string[];
}

/** The functions `receive` and `send` of a stack, in processes of their own. */
export interface WarmStack extends AsyncDisposable {
  readonly name: string;
  /** Handles new events. Every user writes first, then is sent a message, and then Delivered and Read arrive. */
  readonly handle: (kind: WarmKind, count: number) => Promise<WarmBatch>;
  /**
   * Handles new messages of users who write ten each, in posts with `perPost` messages. Returns the processor time per
   * message.
   */
  readonly handlePosts: (messages: number, perPost: number) => Promise<number>;
}

export const startWarmStack = async ({
  name,
  stack,
  declarations,
  events,
  environment,
}: RecordedStack): Promise<WarmStack> => {
  await using resources = new AsyncDisposableStack();
  const tables = await startCountingProxy(stack.env.AWS_ENDPOINT_URL_DYNAMODB ?? '');
  resources.defer(tables.close);
  const awsEnvironment = { ...stack.env, AWS_ENDPOINT_URL_DYNAMODB: tables.url };
  const start = (job: 'receive' | 'send') => {
    const { codeFolder, timeoutMs } = declarations[job];
    // Nothing listens at the address of the Runtime API: the process calls the handler itself.
    const variables = functionEnvironment(declarations[job], codeFolder, '127.0.0.1:9', awsEnvironment);
    return resources.use(startWarmFunction(codeFolder, environment(variables), timeoutMs));
  };
  const [receive, send] = [start('receive'), start('send')];

  const next: Record<WarmKind, number> = { 'inbound message': 0, status: 0, send: 0 };
  const eventOf: Record<WarmKind, (index: number) => unknown> = {
    'inbound message': (user) => inboundMessage(events.receive, user),
    // Two for each user.
    status: (index) => statusOfSend(events.receive, Math.floor(index / 2), index % 2 === 0 ? 'delivered' : 'read'),
    send: (user) => freeFormRequest(events.send, `+${contactAddress(user)}`),
  };
  const running = resources.move();
  return {
    name,
    async handle(kind, count) {
      const batch = Array.from({ length: count }, (_, index) => eventOf[kind](next[kind] + index));
      next[kind] += count;
      tables.calls.length = 0;
      const { cpuMs } = await (kind === 'send' ? send : receive).handle(batch);
      return { cpuMs: cpuMs / count, calls: [...tables.calls] };
    },
    async handlePosts(messages, perPost) {
      const posts = Array.from({ length: messages / perPost }, (_, index) =>
        postOfMessages(events.receive, next['inbound message'] + Math.floor((index * perPost) / 10), perPost),
      );
      next['inbound message'] += Math.ceil(messages / 10);
      const { cpuMs } = await receive.handle(posts);
      return cpuMs / messages;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
};
