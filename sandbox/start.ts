import { printableLine, printableLines } from './base/terminal-text.ts';
import { HELP, readCommandLine } from './command-line.ts';
import { type SandboxOptions, startSandbox } from './sandbox.ts';

const run = async (options: SandboxOptions): Promise<void> => {
  const sandbox = await startSandbox(options);
  const message = `The chat service runs at ${sandbox.url}; press Ctrl-C to stop it.

  console      ${sandbox.url}/
  API          ${sandbox.url}/api/v1.0
  access-token ${options.accessTokens.join(', ')}
  numbers      ${options.chatChannelNumbers.join(', ')} on ${options.chatPlatform}
  control API  ${sandbox.url}/sandbox
  keys (JWKS)  ${sandbox.jwksUrl}
  webhook      ${options.webhook?.url ?? 'none: events wait; set one with --webhook-url'}`;
  console.log(printableLines(message));
  const close = () => void sandbox.close();
  process.once('SIGINT', close).once('SIGTERM', close);
};

const commandLine = readCommandLine(process.argv.slice(2));
switch (commandLine.kind) {
  case 'help':
    console.log(HELP);
    break;
  case 'invalid':
    console.error(printableLine(commandLine.sentence));
    process.exitCode = 1;
    break;
  case 'run':
    await run(commandLine.options).catch((error: unknown) => {
      console.error(printableLine(error instanceof Error ? error.message : String(error)));
      process.exitCode = 1;
    });
}
