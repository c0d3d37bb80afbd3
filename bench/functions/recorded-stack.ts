import type { APIGatewayProxyEventV2, DynamoDBStreamEvent, SQSEvent } from 'aws-lambda';
import { createSignedFetch } from '../../cli/operations/signed-fetch.ts';
import { CREDENTIALS, REGION } from '../../local/base/aws-environment.ts';
import { createLocalClient } from '../../local/cloud/local-client.ts';
import type { LocalCloud } from '../../local/cloud/local-cloud.ts';
import { waitFor } from '../../local/demo/wait-for.ts';
import type { FunctionDeclaration } from '../../local/functions/invocation.ts';
import type { Interpose } from '../../local/stack/interposed.ts';
import { type EventRecorder, startEventRecorder } from './event-recorder.ts';
import { JOBS, type Job } from './jobs.ts';

/** An event of each function, as the running stack invoked the function with it. */
export interface JobEvents {
  readonly receive: APIGatewayProxyEventV2;
  readonly send: SQSEvent;
  /** One record: a message was created. */
  readonly publish: DynamoDBStreamEvent;
  /** A read of a contact. */
  readonly manage: APIGatewayProxyEventV2;
}

type RunnableStack = Pick<
  LocalCloud,
  'chatServiceUrl' | 'clock' | 'emulators' | 'env' | 'managementUrl' | 'sendQueueUrl' | 'tableName'
>;

/** A stack whose functions have handled an event each. Its emulators still run, but nothing invokes a function. */
export interface RecordedStack extends AsyncDisposable {
  readonly name: string;
  readonly stack: RunnableStack;
  readonly declarations: Readonly<Record<Job, FunctionDeclaration>>;
  readonly events: JobEvents;
  readonly environment: EventRecorder['environment'];
  readonly accepted: () => number;
}

/** Starts a stack with intermediaries. */
export type StartStack = (interpose: Interpose) => Promise<RunnableStack & AsyncDisposable>;

/** The user whose window is open. */
export const RECORDED_USER = '+5491149999999';
const CALL_LIMIT_MS = 10_000;

/** Runs the main job once: a user writes, the message is published, an answer is sent, and the contact is read. */
export const recordStack = async (name: string, start: StartStack): Promise<RecordedStack> => {
  await using resources = new AsyncDisposableStack();
  const recorder = resources.use(await startEventRecorder());
  const stack = resources.use(await start(recorder.interpose));
  using client = createLocalClient(stack);
  const eventsOf = (job: Job) => recorder.recorded.get(job)?.events ?? [];
  const firstOf = <Event>(job: Job, read: (event: Event) => Event | undefined = (event) => event): Promise<Event> =>
    waitFor(`${name}: the function ${job} handles an event`, async () =>
      eventsOf(job)
        .map((event): Event => JSON.parse(event))
        .map(read)
        .find((event) => event !== undefined),
    );

  await client.userWrites(RECORDED_USER, { text: 'Where is my parcel?' });
  const receive = await firstOf<APIGatewayProxyEventV2>('receive');
  const publish = await firstOf<DynamoDBStreamEvent>('publish', createdMessage);
  await client.enqueue({ requestId: 'recorded', platformContactId: RECORDED_USER, messageText: 'It is on its way.' });
  const send = await firstOf<SQSEvent>('send');
  const signedFetch = createSignedFetch({ region: REGION, credentials: async () => CREDENTIALS }, CALL_LIMIT_MS);
  const url = new URL(`${stack.managementUrl}/v1/contacts/${encodeURIComponent(RECORDED_USER)}`);
  const { status } = await signedFetch('GET', url);
  if (status !== 200) throw new Error(`${name}: the management API answered ${status}.`);
  const manage = await firstOf<APIGatewayProxyEventV2>('manage');
  recorder.mute();

  const declarationOf = (job: Job): FunctionDeclaration => {
    const found = recorder.recorded.get(job)?.declaration;
    if (found === undefined) throw new Error(`${name} has no function ${job}.`);
    return found;
  };
  const [ofReceive, ofSend, ofPublish, ofManage] = JOBS.map(declarationOf);
  if (!ofReceive || !ofSend || !ofPublish || !ofManage) throw new Error(`${name} lacks a function.`);
  const running = resources.move();
  return {
    name,
    stack,
    declarations: { receive: ofReceive, send: ofSend, publish: ofPublish, manage: ofManage },
    events: { receive, send, publish, manage },
    environment: recorder.environment,
    accepted: recorder.accepted,
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
};

/** Returns the event with only the record of a new message, or undefined without one. */
const createdMessage = ({ Records }: DynamoDBStreamEvent): DynamoDBStreamEvent | undefined => {
  const record = Records.find(
    ({ eventName, dynamodb }) => eventName === 'INSERT' && dynamodb?.NewImage?.sk?.S === 'MESSAGE',
  );
  return record && { Records: [record] };
};
