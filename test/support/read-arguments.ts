import { type ParseArgsConfig, parseArgs } from 'node:util';

type Read<Config extends ParseArgsConfig> =
  | ({ readonly kind: 'read' } & ReturnType<typeof parseArgs<Config>>)
  | { readonly kind: 'invalid'; readonly sentence: string };

/** Parses a command's arguments, by default those of the process. Returns a sentence about the first invalid one. */
export const readArguments = <Config extends ParseArgsConfig>(config: Config): Read<Config> => {
  try {
    return { kind: 'read', ...parseArgs(config) };
  } catch (error) {
    return { kind: 'invalid', sentence: error instanceof Error ? firstSentence(error.message) : String(error) };
  }
};

/** Keeps the first sentence. Some messages of Node.js end without a period, and others continue with advice. */
export const firstSentence = (message: string): string => {
  const [first = message] = message.split('. ');
  return first.endsWith('.') ? first : `${first}.`;
};
