import type { Emulators } from '../emulators/emulators.ts';
import type { InterposedFunctions } from '../functions/interposed-functions.ts';

/** Intermediaries between the parts of a run, so that a test can inject faults into each connection. */
export interface Interposed extends InterposedFunctions {
  /** What event source mappings read from. */
  readonly mappings: Pick<Emulators, 'sqs' | 'dynamodbStreams' | 'queueBaseUrl'>;
  /** Returns the URL that the sandbox delivers to. */
  readonly webhookUrl: (webhookUrl: string) => string;
}

/** Creates the intermediaries after the emulators and the chat service have started, and before any function. */
export type Interpose = (emulators: Emulators, chatServiceUrl: string) => Interposed;
