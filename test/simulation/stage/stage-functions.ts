import { registeringChannels } from '../../../lambdas/adapters/dynamodb/conversation-table.ts';
import type { ConversationTable } from '../../../lambdas/adapters/dynamodb/table.ts';
import { createSecretsManagerAccessToken } from '../../../lambdas/adapters/secrets.ts';
import { ACCOUNT, sendRules } from '../../support/builders.ts';
import type { SimulatedBus } from '../world/bus.ts';
import { createManageProcess, MANAGE_TIMEOUT_MS } from '../world/manage-process.ts';
import { createPublishProcess, PUBLISH_TIMEOUT_MS } from '../world/publish-process.ts';
import { createReceiveProcess } from '../world/receive-process.ts';
import { type CalledChatService, createSendProcess, LIMITS } from '../world/send-process.ts';
import type { TableState } from '../world/table.ts';
import { TOKEN_HEADER } from './delivery.ts';
import { TEMPLATE_VARIABLES } from './draw-request.ts';
import { createFunctionPool } from './function-pool.ts';
import type { SendLane } from './ledger.ts';
import type { LambdaName, StageProcess } from './processes.ts';
import type { StageCalls } from './stage-calls.ts';
import type { StageContext } from './stage-context.ts';
import type { StageMutation } from './stage-mutation.ts';
import type { StageQueues } from './stage-queues.ts';
import type { StageSchedules } from './stage-schedules.ts';

/** The services that the functions of a stage use. */
export interface StageFunctionsOptions {
  readonly context: StageContext;
  readonly calls: StageCalls;
  /** The table as a process sees it. */
  readonly tableOf: (process: StageProcess) => TableState;
  readonly queues: StageQueues;
  readonly schedules: StageSchedules;
  readonly bus: SimulatedBus;
  readonly chatService: CalledChatService;
  /** Where processes read the access token. */
  readonly secret: { readonly token: string };
  readonly webhookToken: string;
  readonly isReceiveThrottled: () => boolean;
  /** Whether the webhook's token cannot be read now. */
  readonly isSecretLocked: () => boolean;
  readonly createMutation: (() => StageMutation) | undefined;
}

/** Only the messages of operators have the field or the sender. */
const OPERATOR_ECHOES = { field: 'OPERATOR_ID', senders: ['agent'], handoverMinutes: 60 };

/** Two of the texts that users write. */
const [STOP, START] = [['STOP'], ['START']];

const RECEIVE_TIMEOUT_MS = 10_000;

/** Creates the deployed functions, whose processes run Parley's own code. */
export const createStageFunctions = (options: StageFunctionsOptions) => {
  const { context, calls, tableOf: readable, queues, schedules, bus, chatService, secret, createMutation } = options;
  const { clock, features } = context;
  const { windowPer, delivery } = features;
  const envelope = delivery.envelope === 'none' ? 'none' : 'pubsub';

  const mutationOf = (lambda: LambdaName) => {
    const { table, ...mutation } = createMutation?.() ?? {};
    return {
      ...mutation,
      /** The real table, with the mutation of all functions, and then the mutation of this one. */
      tableOf: (own: NonNullable<StageMutation['send']>['table']) => ({
        table(plain: ConversationTable) {
          const registering = registeringChannels(plain, new Map());
          const shared = { ...registering, ...table?.(registering, lambda) };
          return { ...shared, ...own?.(shared) };
        },
      }),
    };
  };

  const accessTokenOf = (process: string) =>
    createSecretsManagerAccessToken(
      {
        getSecretValue: () =>
          calls.call({
            process,
            label: 'read the access token',
            perform: () => ({ SecretString: secret.token }),
            canEndProcess: true,
            failures: {
              'fails-before': () => {
                throw new Error('The secret is unavailable.');
              },
            },
          }),
      },
      'access-token',
    );

  const random = (process: StageProcess) => () => context.next(`${process.function} ${clock.ms}`);
  const laneOf = (lane: SendLane) => ({
    queue: { putDeadLetter: queues[`${lane}-dead-letters`].put, setVisibility: queues[lane].setVisibility },
    schedules: schedules.of(lane),
  });
  const send = createFunctionPool({
    context,
    calls,
    lambda: 'send',
    timeoutMs: LIMITS.timeoutSeconds * 1000,
    start(process) {
      const { tableOf, send: own } = mutationOf('send');
      return createSendProcess({
        name: process.name,
        clock,
        turns: calls,
        table: readable(process),
        ...laneOf('send'),
        ...(features.bulkLane === true && {
          bulk: { ...laneOf('bulk'), url: `https://queues.example/${queues.bulk.name}` },
        }),
        chatService,
        accessToken: accessTokenOf(process.name),
        account: ACCOUNT,
        rules: sendRules({ templates: TEMPLATE_VARIABLES, ...features.rules }),
        windowPer,
        random: random(process),
        answerMs: (path) => Math.floor(context.next(`answer ${path} ${clock.ms}`) ** 4 * features.maxAnswerMs),
        mutation: { ...own, ...tableOf(own?.table) },
      });
    },
  });

  const receive = createFunctionPool({
    context,
    calls,
    lambda: 'receive',
    timeoutMs: RECEIVE_TIMEOUT_MS,
    isThrottled: options.isReceiveThrottled,
    start(process) {
      const { tableOf, receive: own } = mutationOf('receive');
      return createReceiveProcess({
        name: process.name,
        clock,
        aheadMs: 0,
        turns: calls,
        table: readable(process),
        queue: {
          put: queues.inbound.put,
          putDeadLetter: queues['inbound-dead-letters'].put,
          setVisibility: queues.inbound.setVisibility,
        },
        windowPer,
        keywords:
          features.keywords === true
            ? { optOut: STOP, optIn: features.optInKeyword ? START : [], buttons: true }
            : undefined,
        confirmations: features.rules.optOutConfirmation === undefined ? undefined : queues.send,
        operatorEchoes: features.rules.operators && OPERATOR_ECHOES,
        hasTurns: features.turnSilenceSeconds !== undefined,
        random: random(process),
        auth: { kind: 'shared-token', header: TOKEN_HEADER, envelope },
        webhookSecret: {
          async read() {
            if (options.isSecretLocked()) throw new Error('The secret cannot be read.');
            return options.webhookToken;
          },
        },
        mutation: { ...own, ...tableOf(own?.table) },
      });
    },
  });

  const publish = createFunctionPool({
    context,
    calls,
    lambda: 'publish',
    timeoutMs: PUBLISH_TIMEOUT_MS,
    start(process) {
      const { publish: mutation } = mutationOf('publish');
      const { turnSilenceSeconds: silenceSeconds } = features;
      return createPublishProcess({
        name: process.name,
        turns: calls,
        bus,
        publishFailures: queues['publish-dead-letters'],
        content: features.content,
        ...(silenceSeconds !== undefined && {
          openTurns: { table: readable(process), queue: queues.turns, silenceSeconds, clock },
        }),
        random: random(process),
        acceptsPartOf: (count) => someOf(count, context.next(`part of a call by ${process.name}`)),
        ...(mutation && { mutation }),
      });
    },
  });

  const manage = createFunctionPool({
    context,
    calls,
    lambda: 'manage',
    timeoutMs: MANAGE_TIMEOUT_MS,
    start(process) {
      const { tableOf, manage: own } = mutationOf('manage');
      return createManageProcess({
        name: process.name,
        clock,
        turns: calls,
        table: readable(process),
        queues: {
          send: queues.send,
          sendDeadLetters: queues['send-dead-letters'],
          ...(features.bulkLane === true && { bulk: queues.bulk, bulkDeadLetters: queues['bulk-dead-letters'] }),
          inbound: queues.inbound,
          inboundDeadLetters: queues['inbound-dead-letters'],
          erasures: queues.erasures,
          erasureDeadLetters: queues['erasures-dead-letters'],
          scheduleDeadLetters: queues['schedule-dead-letters'],
          publishFailures: queues['publish-dead-letters'],
        },
        schedules,
        chatService,
        accessToken: accessTokenOf(process.name),
        account: ACCOUNT,
        rules: { operators: features.rules.operators, optOutConfirmation: features.rules.optOutConfirmation },
        windowPer,
        random: random(process),
        mutation: { ...own, ...tableOf(own?.table) },
      });
    },
  });

  return { send, receive, publish, manage };
};

/** Chooses some of `count` indexes, but not all of them. `fraction` determines which. */
const someOf = (count: number, fraction: number): ((index: number) => boolean) => {
  const chosen = 1 + Math.floor(fraction * (2 ** count - 2));
  return (index) => Math.floor(chosen / 2 ** index) % 2 === 1;
};
