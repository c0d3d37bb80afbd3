const isRepository = import.meta.url.endsWith('.ts');

/** How a user runs each command: with the scripts of the repository, or with the commands of the packages. */
export const COMMANDS = isRepository
  ? { local: 'npm start --', sandbox: 'npm run sandbox --', parley: 'npm run parley --' }
  : { local: 'npx --no -- parley-local', sandbox: 'npx --no -- parley-sandbox', parley: 'npx --no -- parley' };
