import type { Readable } from 'node:stream';
import type { ExitCode } from './exit-codes.ts';
import type { ManagementClient } from './operations/management-client.ts';
import type { Surroundings } from './surroundings.ts';

/** An option of a command; `value` names its value in the help, without one it is a switch. */
export interface OptionDefinition {
  readonly name: string;
  readonly value?: string;
  readonly what: string;
  /** May be given several times. */
  readonly multiple?: boolean;
  readonly required?: boolean;
}

/** What a command came to: the same told twice, for a person and for a machine. */
export interface CommandResult {
  readonly text: string;
  readonly json: unknown;
  /** @default done */
  readonly exitCode?: ExitCode;
}

/** A command as it was given, and what it works with. */
export interface CommandCall {
  readonly positional: (name: string) => string;
  readonly option: (name: string) => string | undefined;
  readonly options: (name: string) => readonly string[];
  readonly isSet: (name: string) => boolean;
  /** Where it acts: a stack, or the local run. Found at the first call. */
  readonly surroundings: () => Promise<Surroundings>;
  /** The management API there. */
  readonly api: () => Promise<ManagementClient>;
  /** Says something on the way, to standard error. */
  readonly say: (line: string) => void;
  readonly isJson: boolean;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  /** Aborted by Ctrl-C. */
  readonly stop: AbortSignal;
}

export interface CommandDefinition {
  /** As it is called, such as `dead-letters redrive`. */
  readonly name: string;
  readonly what: string;
  readonly positionals?: readonly { readonly name: string; readonly what: string; readonly optional?: boolean }[];
  readonly options?: readonly OptionDefinition[];
  /** Worth knowing before it is called. */
  readonly note?: string;
  readonly examples: readonly string[];
  readonly run: (call: CommandCall) => Promise<CommandResult>;
}
