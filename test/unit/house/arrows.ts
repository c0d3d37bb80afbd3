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
 * The files of `lambdas` that others may import, besides `domain`, `table`, and `laws`: environments, schemas, routes, and
 * the count of a queue's messages, but no handler and no other adapter.
 */
export const EXPOSED_FILES: readonly string[] = [
  'lambdas/adapters/sqs-backlog.ts',
  'lambdas/manage/api.ts',
  'lambdas/manage/audit.ts',
  'lambdas/manage/circuit-breaker-closures.ts',
  'lambdas/manage/contact-checks.ts',
  'lambdas/manage/contacts.ts',
  'lambdas/manage/conversations.ts',
  'lambdas/manage/dead-letters.ts',
  'lambdas/manage/dry-run.ts',
  'lambdas/manage/environment.ts',
  'lambdas/manage/erasures.ts',
  'lambdas/manage/forecasts.ts',
  'lambdas/manage/imports.ts',
  'lambdas/manage/redrives.ts',
  'lambdas/manage/route-name.ts',
  'lambdas/manage/routes.ts',
  'lambdas/manage/send-lists.ts',
  'lambdas/manage/sending-stops.ts',
  'lambdas/manage/sends.ts',
  'lambdas/manage/stage.ts',
  'lambdas/manage/watch/channels.ts',
  'lambdas/manage/watch/gaps.ts',
  'lambdas/publish/environment.ts',
  'lambdas/publish/turns/environment.ts',
  'lambdas/receive/auth/webhook-auth.ts',
  'lambdas/receive/environment.ts',
  'lambdas/send/environment.ts',
  'lambdas/send/time-limits.ts',
];

/**
 * Which layer may import which. Every import that is not listed here is an error, and so are every entry without an import
 * and every cycle of files.
 */
export const LAYERS: readonly Layer[] = [
  // Checks on the table from outside: no function may import it, so that it is in no bundle.
  { name: 'laws', files: /^lambdas\/laws\//, mayImport: ['laws', 'domain'] },
  { name: 'domain', files: /^lambdas\/domain\//, mayImport: ['domain'] },
  // What the table's keys and attributes mean, which nothing else knows but the adapters and the laws.
  { name: 'table', files: /^lambdas\/table\//, mayImport: ['table', 'domain'] },
  { name: 'ports', files: /^lambdas\/ports\.ts$/, mayImport: [], mayImportTypes: ['domain'] },
  {
    name: 'concurrency',
    files: /^lambdas\/runtime\/(concurrency|on-first-use|time-budget)\.ts$/,
    mayImport: ['domain'],
    mayImportTypes: ['ports'],
  },
  { name: 'runtime', files: /^lambdas\/runtime\//, mayImport: ['domain', 'runtime'], mayImportTypes: ['ports'] },
  // Also for the operator's command, whose numbers must be those of the functions.
  { name: 'queue counts', files: /^lambdas\/adapters\/sqs-backlog\.ts$/, mayImport: [], mayImportTypes: ['ports'] },
  {
    name: 'adapters',
    files: /^lambdas\/adapters\//,
    mayImport: ['domain', 'table', 'concurrency', 'queue counts', 'adapters'],
    mayImportTypes: ['ports'],
  },
  {
    name: 'receive entry',
    files: /^lambdas\/receive\/entry\.ts$/,
    mayImport: ['runtime', 'concurrency', 'adapters', 'receive'],
    mayImportTypes: ['ports'],
  },
  {
    name: 'send entry',
    files: /^lambdas\/send\/entry\.ts$/,
    mayImport: ['domain', 'runtime', 'concurrency', 'adapters', 'send'],
    mayImportTypes: ['ports'],
  },
  {
    name: 'publish entry',
    files: /^lambdas\/publish\/(.+\/)?entry\.ts$/,
    mayImport: ['table', 'runtime', 'concurrency', 'adapters', 'publish entry', 'publish'],
    mayImportTypes: ['ports'],
  },
  {
    name: 'manage entry',
    files: /^lambdas\/manage\/entry\.ts$/,
    mayImport: ['runtime', 'concurrency', 'queue counts', 'adapters', 'manage'],
  },
  {
    name: 'receive',
    files: /^lambdas\/receive\//,
    mayImport: ['domain', 'runtime', 'concurrency', 'receive'],
    mayImportTypes: ['ports'],
  },
  {
    name: 'send',
    files: /^lambdas\/send\//,
    mayImport: ['domain', 'runtime', 'concurrency', 'send'],
    mayImportTypes: ['ports'],
  },
  {
    name: 'publish',
    files: /^lambdas\/publish\//,
    mayImport: ['domain', 'runtime', 'concurrency'],
    mayImportTypes: ['ports', 'publish'],
  },
  {
    name: 'manage',
    files: /^lambdas\/manage\//,
    mayImport: ['domain', 'runtime', 'concurrency', 'manage'],
    mayImportTypes: ['ports'],
  },

  // What is deployed. It knows the functions by their environments, schemas, routes, and time limits.
  { name: 'settings', files: /^lib\/settings\//, mayImport: ['settings', 'domain', 'receive'] },
  {
    name: 'constructs',
    files: /^lib\/constructs\//,
    mayImport: ['constructs', 'settings', 'domain', 'table', 'receive', 'send', 'manage'],
    mayImportTypes: ['publish'],
  },
  {
    name: 'documents',
    files: /^lib\/documents\//,
    mayImport: ['settings', 'documents', 'domain', 'table', 'laws', 'manage', 'constructs'],
  },
  // Consumers bundle it: test/unit/lib/events.test.ts checks what is in a bundle.
  { name: 'consumer events', files: /^lib\/events(\/.*)?\.ts$/, mayImport: ['consumer events', 'domain'] },
  { name: 'pins', files: /^lib\/pins\//, mayImport: ['pins', 'settings', 'domain'] },
  { name: 'lib', files: /^lib\//, mayImport: ['lib', 'constructs', 'pins', 'settings'] },
  { name: 'bin', files: /^bin\//, mayImport: ['bin', 'lib', 'documents'] },

  // A second reading of the contract: the sandbox shares no code with the functions.
  {
    // The page runs in a browser: it knows only the types of the service.
    name: 'sandbox page',
    files: /^sandbox\/console\/page\//,
    mayImport: ['sandbox page'],
    mayImportTypes: ['sandbox inspector', 'sandbox service', 'sandbox delivery'],
  },
  // The rules of what runs on this machine: whom a server answers, and what may be printed. The sandbox is at the bottom of
  // what runs there, so the local run and the operator's command take them from it.
  { name: 'sandbox foreign request', files: /^sandbox\/foreign-request\.ts$/, mayImport: [] },
  { name: 'sandbox terminal text', files: /^sandbox\/terminal-text\.ts$/, mayImport: [] },
  // How users run the commands.
  { name: 'sandbox command names', files: /^sandbox\/command-names\.ts$/, mayImport: [] },
  {
    name: 'sandbox page build',
    files: /^sandbox\/console\/[^/]+\.ts$/,
    mayImport: [],
    mayImportTypes: ['sandbox page build'],
  },
  { name: 'sandbox clock', files: /^sandbox\/clock\.ts$/, mayImport: [] },
  { name: 'sandbox inspector', files: /^sandbox\/inspector\.ts$/, mayImport: [] },
  { name: 'sandbox event format names', files: /^sandbox\/event-format-names\.ts$/, mayImport: [] },
  {
    name: 'sandbox service',
    files: /^sandbox\/service\//,
    mayImport: ['sandbox service'],
    mayImportTypes: ['sandbox event format names'],
  },
  {
    name: 'sandbox delivery',
    files: /^sandbox\/delivery\//,
    mayImport: ['sandbox delivery'],
    mayImportTypes: ['sandbox clock'],
  },
  {
    name: 'sandbox store',
    files: /^sandbox\/store\//,
    mayImport: [],
    mayImportTypes: ['sandbox store', 'sandbox service', 'sandbox delivery'],
  },
  {
    name: 'sandbox running service',
    files: /^sandbox\/(delivery-entries|running-service)\.ts$/,
    mayImport: ['sandbox running service', 'sandbox service', 'sandbox delivery'],
    mayImportTypes: ['sandbox clock', 'sandbox store'],
  },
  {
    name: 'sandbox http',
    files: /^sandbox\/http\//,
    mayImport: [
      'sandbox http',
      'sandbox service',
      'sandbox delivery',
      'sandbox page build',
      'sandbox foreign request',
      'sandbox event format names',
    ],
    mayImportTypes: ['sandbox running service', 'sandbox clock', 'sandbox inspector'],
  },
  {
    name: 'sandbox',
    files: /^sandbox\/[^/]+\.ts$/,
    mayImport: [
      'sandbox',
      'sandbox http',
      'sandbox running service',
      'sandbox store',
      'sandbox delivery',
      'sandbox clock',
      'sandbox command names',
      'sandbox event format names',
      'sandbox terminal text',
    ],
    mayImportTypes: ['sandbox inspector'],
  },

  // The operator's command. Its operations on queues and the management API also serve the console of a local run, which
  // must redrive exactly as the command does.
  {
    name: 'cli operations',
    files: /^cli\/operations\//,
    mayImport: ['cli operations', 'queue counts', 'domain', 'table', 'laws', 'manage'],
  },
  {
    name: 'cli base',
    files: /^cli\/(command|confirm|errors|human-time|message-options|progress|stage-time|state-file|target)\.ts$/,
    mayImport: ['cli base', 'cli operations'],
  },
  {
    name: 'cli broadcast',
    files: /^cli\/broadcast\//,
    mayImport: ['cli broadcast', 'cli base', 'cli operations', 'domain', 'manage', 'settings'],
  },
  {
    name: 'cli import',
    files: /^cli\/import\//,
    mayImport: ['cli import', 'cli broadcast', 'cli base', 'cli operations', 'domain', 'manage'],
  },
  {
    // A new app has the feature flags of the repository, and the version of the package.
    name: 'cli init',
    files: /^cli\/init\//,
    mayImport: ['cli init', 'cli base', 'settings', 'cdk.json', 'package.json'],
  },
  {
    name: 'cli commands',
    files: /^cli\/commands\//,
    mayImport: [
      'cli commands',
      'cli init',
      'cli import',
      'cli broadcast',
      'cli base',
      'cli operations',
      'queue counts',
      'domain',
      'table',
      'laws',
      'manage',
      'settings',
    ],
  },
  {
    name: 'cli',
    files: /^cli\//,
    mayImport: ['cli', 'cli commands', 'cli base', 'cli operations', 'package.json', 'sandbox terminal text'],
  },

  // This machine's cloud.
  {
    name: 'local base',
    files:
      /^local\/(aws-environment|clock|json|listen-locally|local-error|private-files|run-folder|serve-locally|string-attributes)\.ts$/,
    mayImport: ['local base', 'sandbox foreign request'],
  },
  { name: 'local template', files: /^local\/template\//, mayImport: ['local template', 'local base'] },
  { name: 'local aws protocol', files: /^local\/emulators\/aws-json-server\.ts$/, mayImport: ['local base'] },
  {
    name: 'local sqs',
    files: /^local\/emulators\/sqs\//,
    mayImport: ['local sqs', 'local aws protocol', 'local base'],
  },
  {
    name: 'local metrics',
    files: /^local\/emulators\/cloudwatch\/(aws-metrics|embedded-metrics|metric-store)\.ts$/,
    mayImport: ['local base'],
    mayImportTypes: ['local metrics', 'local sqs'],
  },
  {
    name: 'local emulators',
    files: /^local\/emulators\//,
    mayImport: [
      'local emulators',
      'local metrics',
      'local sqs',
      'local aws protocol',
      'local base',
      'sandbox foreign request',
    ],
  },
  {
    name: 'local functions',
    files: /^local\/functions\//,
    mayImport: ['local functions', 'local metrics', 'local base', 'sandbox terminal text'],
  },
  {
    name: 'local http api',
    files: /^local\/http-api\//,
    mayImport: ['local http api', 'local base'],
    mayImportTypes: ['local functions', 'local metrics'],
  },
  {
    name: 'local rest api',
    files: /^local\/rest-api\//,
    mayImport: ['local http api', 'local base'],
    mayImportTypes: ['local rest api', 'local metrics'],
  },
  {
    name: 'local event sources',
    files: /^local\/event-sources\//,
    mayImport: ['local event sources', 'local metrics', 'local sqs', 'local functions', 'local base'],
    mayImportTypes: ['local emulators'],
  },
  {
    name: 'local resources',
    files: /^local\/resources\//,
    mayImport: ['local resources', 'local emulators', 'local metrics', 'local sqs', 'local rest api', 'local base'],
    mayImportTypes: ['local template', 'local functions', 'local http api', 'local event sources'],
  },
  {
    name: 'local inspector',
    files: /^local\/inspector\//,
    mayImport: [
      'local inspector',
      'local event sources',
      'local base',
      'cli operations',
      'queue counts',
      'domain',
      'manage',
    ],
    mayImportTypes: ['local emulators', 'sandbox inspector'],
  },
  {
    name: 'local stack',
    files: /^local\/(cdk-app|interposed|stack|synthesis|synthesized-stack)\.ts$/,
    mayImport: [
      'local resources',
      'local template',
      'local emulators',
      'local metrics',
      'local functions',
      'local http api',
      'local rest api',
      'local event sources',
      'local base',
    ],
    mayImportTypes: ['local stack'],
  },
  {
    name: 'local cloud',
    files: /^local\/(local-cloud|local-sandbox|stack-addresses)\.ts$/,
    mayImport: [
      'local cloud',
      'local stack',
      'local inspector',
      'local template',
      'local emulators',
      'local base',
      'settings',
      'sandbox',
      'sandbox terminal text',
    ],
    mayImportTypes: ['local functions'],
  },
  {
    name: 'local demo',
    files: /^local\/demo\//,
    mayImport: ['local demo', 'local base'],
    mayImportTypes: ['local', 'local cloud'],
  },
  {
    name: 'local',
    files: /^local\/[^/]+\.ts$/,
    mayImport: [
      'local',
      'local demo',
      'local cloud',
      'local base',
      'sandbox command names',
      'sandbox event format names',
      'sandbox terminal text',
    ],
  },

  // What a customer's engineer copies: it knows Parley only as a package.
  { name: 'examples', files: /^examples\//, mayImport: ['examples'] },
  // What is published: the code above, compiled, with the functions bundled ahead.
  {
    name: 'build',
    files: /^build\//,
    mayImport: ['build', 'constructs', 'documents', 'local functions', 'sandbox page build'],
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
      'queue counts',
      'local',
      'local base',
      'local cloud',
      'local stack',
      'sandbox terminal text',
      'settings',
    ],
  },

  // Measurements share the browser tests' way into the console, and the signed requests of the unit tests.
  {
    name: 'bench',
    files: /^bench\//,
    mayImport: [
      'bench',
      'cli operations',
      'constructs',
      'domain',
      'local',
      'local base',
      'local cloud',
      'local demo',
      'local emulators',
      'local functions',
      'local stack',
      'local template',
      'sandbox',
      'test/browser/chromium.ts',
      'test/browser/console-page.ts',
      'test/browser/populate.ts',
      'test/simulation/markdown.ts',
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
