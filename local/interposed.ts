import type { Emulators } from './emulators/emulators.ts';
import type { InterposedFunctions } from './functions/interposed-functions.ts';

/** What a run puts between its parts, so that a test can disturb each connection. */
export interface Interposed extends InterposedFunctions {
  /** What event source mappings read from. */
  readonly mappings: Pick<Emulators, 'sqs' | 'dynamodbStreams' | 'queueBaseUrl'>;
  /** Returns the URL that the sandbox delivers to. */
  readonly webhookUrl: (webhookUrl: string) => string;
}

/** Creates what lies between the parts, once the emulators and the chat service run, and before any function does. */
export type Interpose = (emulators: Emulators, chatServiceUrl: string) => Interposed;
