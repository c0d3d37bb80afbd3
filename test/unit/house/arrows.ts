/** A layer of the code. A file belongs to the first layer that matches it. */
export interface Layer {
  readonly name: string;
  readonly files: RegExp;
  /** The layers whose files it may import, or a file that belongs to none. */
  readonly mayImport: readonly string[];
  /** The layers of which it may import only types. */
  readonly mayImportTypes?: readonly string[];
}

/**
 * What others may import of `lambdas`, besides `domain`, `table`, and `laws`: what configures a function, what the routes of
 * the management API declare, and the count of a queue's messages, which must be that of the functions.
 */
export const EXPOSED_FILES: readonly RegExp[] = [
  /^lambdas\/(.+\/)?environment\.ts$/,
  /^lambdas\/manage\/api\//,
  /^lambdas\/adapters\/sqs-backlog\.ts$/,
];

/**
 * Which layer may import which. Every import that is not listed here is an error, and so are every entry without an import
 * and every cycle of files.
 */
export const LAYERS: readonly Layer[] = [
  // Checks on the table from outside: no function may import it, so that it is in no bundle.
  { name: 'laws', files: /^lambdas\/laws\//, mayImport: ['laws', 'domain'] },
  // What people type for an address. The console reads it as the functions and the command do.
  { name: 'addresses', files: /^lambdas\/domain\/address\.ts$/, mayImport: [] },
  { name: 'domain', files: /^lambdas\/domain\//, mayImport: ['domain', 'addresses'] },
  // What the table's keys and attributes mean. Use cases and rules do not know it, and the laws state it again.
  { name: 'table', files: /^lambdas\/table\//, mayImport: ['table', 'domain'] },
  {
    // Every outside interface, and what bounds the calls to them in number and in time.
    name: 'ports',
    files: /^lambdas\/(ports|runtime\/(concurrency|on-first-use|time-budget))\.ts$/,
    mayImport: ['domain'],
    mayImportTypes: ['ports'],
  },
  { name: 'runtime', files: /^lambdas\/runtime\//, mayImport: ['domain', 'runtime'], mayImportTypes: ['ports'] },
  {
    name: 'adapters',
    files: /^lambdas\/adapters\//,
    mayImport: ['domain', 'table', 'ports', 'adapters'],
  },
  {
    name: 'entries',
    files: /^lambdas\/(.+\/)?entry\.ts$/,
    mayImport: ['domain', 'table', 'ports', 'runtime', 'adapters', 'entries', 'functions'],
  },
  // Receive, send, publish, and manage. None imports another.
  {
    name: 'functions',
    files: /^lambdas\//,
    mayImport: ['domain', 'addresses', 'ports', 'runtime', 'functions'],
  },

  // What is deployed. It knows the functions by what they expose.
  { name: 'settings', files: /^lib\/settings\//, mayImport: ['settings', 'domain'] },
  {
    name: 'documents',
    files: /^lib\/documents\//,
    mayImport: ['settings', 'documents', 'domain', 'table', 'laws', 'functions', 'lib'],
  },
  // Consumers bundle it: test/unit/lib/events.test.ts checks what is in a bundle.
  { name: 'consumer events', files: /^lib\/events(\/.*)?\.ts$/, mayImport: ['consumer events', 'domain'] },
  { name: 'lib', files: /^lib\//, mayImport: ['lib', 'settings', 'domain', 'table', 'functions'] },
  { name: 'bin', files: /^bin\//, mayImport: ['bin', 'lib', 'documents'] },

  // A second reading of the contract: the sandbox shares no code with the functions. How people type addresses is
  // not in the contract, so the page uses the functions' code for it.
  {
    // The page runs in a browser: it knows only the types of the service.
    name: 'sandbox page',
    files: /^sandbox\/console\/page\//,
    mayImport: ['sandbox page', 'addresses'],
    mayImportTypes: ['sandbox base', 'sandbox service', 'sandbox delivery'],
  },
  // The clock, and the rules of what runs on this machine: whom a server answers, what may be printed, and how users run the
  // commands. The sandbox is at the bottom of what runs there, so the local run and the operator's command take them from it.
  { name: 'sandbox base', files: /^sandbox\/base\//, mayImport: [], mayImportTypes: ['sandbox base'] },
  {
    name: 'sandbox service',
    files: /^sandbox\/service\//,
    mayImport: ['sandbox service'],
    mayImportTypes: ['sandbox base'],
  },
  {
    name: 'sandbox delivery',
    files: /^sandbox\/delivery\//,
    mayImport: ['sandbox delivery'],
    mayImportTypes: ['sandbox base'],
  },
  {
    name: 'sandbox server',
    files: /^sandbox\/(console|http|running|store)\//,
    mayImport: ['sandbox server', 'sandbox service', 'sandbox delivery', 'sandbox base'],
  },
  {
    name: 'sandbox',
    files: /^sandbox\//,
    mayImport: ['sandbox', 'sandbox server', 'sandbox delivery', 'sandbox base'],
  },

  // The operator's command. Its operations on queues and the management API also serve the console of a local run, which
  // must redrive exactly as the command does.
  {
    name: 'cli operations',
    files: /^cli\/operations\//,
    mayImport: ['cli operations', 'adapters', 'domain', 'table', 'laws', 'functions'],
  },
  { name: 'cli base', files: /^cli\/base\//, mayImport: ['cli base', 'cli operations'] },
  {
    // A new app has the feature flags of the repository, and the version of the package.
    name: 'cli',
    files: /^cli\//,
    mayImport: [
      'cli',
      'cli base',
      'cli operations',
      'adapters',
      'domain',
      'addresses',
      'table',
      'laws',
      'functions',
      'settings',
      'sandbox base',
      'cdk.json',
      'package.json',
    ],
  },

  // This machine's cloud.
  {
    name: 'local emulators',
    files: /^local\/(base|emulators)\//,
    mayImport: ['local emulators', 'sandbox base'],
  },
  {
    name: 'local stack',
    files: /^local\/(event-sources|functions|http-api|rest-api|resources|stack|template)\//,
    mayImport: ['local stack', 'local emulators', 'sandbox base'],
  },
  {
    name: 'local inspector',
    files: /^local\/inspector\//,
    mayImport: [
      'local inspector',
      'local stack',
      'local emulators',
      'cli operations',
      'adapters',
      'domain',
      'addresses',
      'table',
      'functions',
    ],
    mayImportTypes: ['sandbox base'],
  },
  {
    name: 'local',
    files: /^local\//,
    mayImport: [
      'local',
      'local stack',
      'local inspector',
      'local emulators',
      'domain',
      'table',
      'settings',
      'sandbox',
      'sandbox base',
    ],
  },

  // What a customer's engineer copies: it knows Parley only as a package.
  { name: 'examples', files: /^examples\//, mayImport: ['examples'] },
  // What is published: the code above, compiled, with the functions bundled ahead.
  {
    name: 'build',
    files: /^build\//,
    mayImport: ['build', 'lib', 'documents', 'local stack', 'sandbox server'],
  },
  // Tests a stage as its users and its operator do.
  {
    name: 'smoke',
    files: /^smoke\//,
    mayImport: [
      'smoke',
      'cli base',
      'cli operations',
      'consumer events',
      'lib',
      'adapters',
      'local',
      'local emulators',
      'local stack',
      'sandbox base',
      'settings',
      'package.json',
    ],
  },
  // Measurements share the browser tests' way into the console, and the signed requests of the unit tests.
  {
    name: 'bench',
    files: /^bench\//,
    mayImport: [
      'bench',
      'cli operations',
      'lib',
      'documents',
      'domain',
      'local',
      'local emulators',
      'local stack',
      'sandbox',
      'test/browser/chromium.ts',
      'test/browser/console-page.ts',
      'test/browser/populate.ts',
      'test/support/builders.ts',
      'test/support/counting-proxy.ts',
      'test/support/emulated-table.ts',
      'test/support/issuer.ts',
      'test/support/random.ts',
      'test/support/read-arguments.ts',
      'test/support/replaced-internet.ts',
      'test/support/self-signed-certificate.ts',
      'test/support/signed-requests.ts',
    ],
  },
];
