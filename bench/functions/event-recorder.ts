import type { Emulators } from '../../local/emulators/emulators.ts';
import type { FunctionPool } from '../../local/functions/function-pool.ts';
import type { FunctionDeclaration } from '../../local/functions/invocation.ts';
import type { Interposed } from '../../local/stack/interposed.ts';
import { startChatAnswers } from './chat-answers.ts';

/** Records the events of a stack's functions, and replaces the chat service that they call. */
export interface EventRecorder extends AsyncDisposable {
  readonly interpose: (emulators: Emulators) => Interposed;
  /** What was recorded, by the function's service name. */
  readonly recorded: ReadonlyMap<string, RecordedEvents>;
  /** Returns a function's variables with the address of the replaced chat service. */
  readonly environment: Interposed['environment'];
  /** Returns how many messages the functions sent. */
  readonly accepted: () => number;
  /** Acknowledges all further events without a function, so that no other process works during a measurement. */
  readonly mute: () => void;
}

export interface RecordedEvents {
  readonly declaration: FunctionDeclaration;
  /** As JSON. */
  readonly events: string[];
}

/** Acknowledges a batch of records. */
const ACKNOWLEDGED = { ok: true, payload: JSON.stringify({ batchItemFailures: [] }) } as const;

export const startEventRecorder = async (): Promise<EventRecorder> => {
  const chat = await startChatAnswers();
  const recorded = new Map<string, RecordedEvents>();
  let isMuted = false;
  const environment: Interposed['environment'] = (variables) => ({
    ...variables,
    ...(variables.CHAT_SERVICE_URL !== undefined && { CHAT_SERVICE_URL: chat.url }),
  });
  return {
    recorded,
    environment,
    accepted: chat.accepted,
    interpose: (emulators) => ({
      environment,
      mappings: emulators,
      webhookUrl: (url) => url,
      invocations: ({ declaration, invoke }: FunctionPool) => {
        const { events } = recordedOf(recorded, declaration);
        return async (event) => {
          if (isMuted) return ACKNOWLEDGED;
          const result = await invoke(event);
          events.push(event);
          return result;
        };
      },
    }),
    mute() {
      isMuted = true;
    },
    [Symbol.asyncDispose]: chat.close,
  };
};

const recordedOf = (recorded: Map<string, RecordedEvents>, declaration: FunctionDeclaration): RecordedEvents => {
  const name = declaration.variables.POWERTOOLS_SERVICE_NAME ?? '';
  const created = { declaration, events: [] };
  recorded.set(name, created);
  return created;
};
