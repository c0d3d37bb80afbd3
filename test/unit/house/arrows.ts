/** A room of the house. A file belongs to the first room that matches it. */
export interface Room {
  readonly name: string;
  readonly files: RegExp;
  /** The rooms whose files it may import. */
  readonly mayImport: readonly string[];
  /** The rooms whose types it may import besides. */
  readonly mayImportTypes?: readonly string[];
}

/** What every function's folder may import: data flows into it, through `domain`, and out through a port. */
const USE_CASE = ['domain', 'ports', 'runtime', 'time budget'];
/** An entry also picks the adapters. */
const ENTRY = [...USE_CASE, 'adapters'];
/** The page runs in a browser: of the service it knows the types alone. */
const SANDBOX_DATA = ['sandbox inspector', 'sandbox service', 'sandbox delivery'];
const LOCAL_SERVICES = ['local emulators', 'local sqs', 'local functions', 'local http api', 'local event sources'];

/** Which room may import which. Every import not listed here is an error, and so is every circle of files. */
export const ROOMS: readonly Room[] = [
  { name: 'domain', files: /^lambdas\/domain\//, mayImport: ['domain'] },
  { name: 'ports', files: /^lambdas\/ports\.ts$/, mayImport: ['domain'] },
  { name: 'time budget', files: /^lambdas\/runtime\/time-budget\.ts$/, mayImport: [] },
  { name: 'runtime', files: /^lambdas\/runtime\//, mayImport: ['domain', 'ports', 'runtime'] },
  { name: 'adapters', files: /^lambdas\/adapters\//, mayImport: ['domain', 'ports', 'time budget', 'adapters'] },
  { name: 'receive entry', files: /^lambdas\/receive\/entry\.ts$/, mayImport: [...ENTRY, 'receive'] },
  { name: 'send entry', files: /^lambdas\/send\/entry\.ts$/, mayImport: [...ENTRY, 'send'] },
  { name: 'publish entry', files: /^lambdas\/publish\/entry\.ts$/, mayImport: [...ENTRY, 'publish'] },
  { name: 'manage entry', files: /^lambdas\/manage\/entry\.ts$/, mayImport: [...ENTRY, 'manage'] },
  { name: 'receive', files: /^lambdas\/receive\//, mayImport: [...USE_CASE, 'receive'] },
  { name: 'send', files: /^lambdas\/send\//, mayImport: [...USE_CASE, 'send'] },
  { name: 'publish', files: /^lambdas\/publish\//, mayImport: [...USE_CASE, 'publish'] },
  { name: 'manage', files: /^lambdas\/manage\//, mayImport: [...USE_CASE, 'manage'] },

  // What is deployed. It knows the functions by their environments, schemas, and routes.
  { name: 'settings', files: /^lib\/settings\//, mayImport: ['settings', 'domain', 'receive'] },
  {
    name: 'constructs',
    files: /^lib\/constructs\//,
    mayImport: ['constructs', 'settings', 'domain', 'receive', 'send', 'publish', 'manage'],
  },
  { name: 'documents', files: /^lib\/documents\//, mayImport: ['documents', 'domain', 'manage'] },
  { name: 'lib', files: /^lib\//, mayImport: ['lib', 'constructs', 'settings'] },
  { name: 'bin', files: /^bin\//, mayImport: ['lib', 'documents'] },

  // A second reading of the contract: the sandbox shares no code with the functions.
  {
    name: 'sandbox page',
    files: /^sandbox\/console\/page\//,
    mayImport: ['sandbox page'],
    mayImportTypes: SANDBOX_DATA,
  },
  { name: 'sandbox page build', files: /^sandbox\/console\/[^/]+\.ts$/, mayImport: [] },
  { name: 'sandbox clock', files: /^sandbox\/clock\.ts$/, mayImport: [] },
  { name: 'sandbox inspector', files: /^sandbox\/inspector\.ts$/, mayImport: [] },
  { name: 'sandbox service', files: /^sandbox\/service\//, mayImport: ['sandbox service'] },
  { name: 'sandbox delivery', files: /^sandbox\/delivery\//, mayImport: ['sandbox delivery', 'sandbox clock'] },
  {
    name: 'sandbox store',
    files: /^sandbox\/store\//,
    mayImport: ['sandbox store'],
    mayImportTypes: ['sandbox service', 'sandbox delivery'],
  },
  {
    name: 'sandbox running service',
    files: /^sandbox\/running-service\.ts$/,
    mayImport: ['sandbox clock', 'sandbox service', 'sandbox delivery', 'sandbox store'],
  },
  {
    name: 'sandbox http',
    files: /^sandbox\/http\//,
    mayImport: [
      'sandbox http',
      'sandbox running service',
      'sandbox service',
      'sandbox delivery',
      'sandbox clock',
      'sandbox inspector',
      'sandbox page build',
    ],
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
      'sandbox inspector',
    ],
  },

  // The operator's command.
  { name: 'cli operations', files: /^cli\/operations\//, mayImport: ['cli operations'] },
  {
    name: 'cli base',
    files: /^cli\/(command|errors|message-options|target)\.ts$/,
    mayImport: ['cli base', 'cli operations'],
  },
  { name: 'cli broadcast', files: /^cli\/broadcast\//, mayImport: ['cli broadcast', 'cli base', 'domain', 'settings'] },
  {
    name: 'cli commands',
    files: /^cli\/commands\//,
    mayImport: ['cli commands', 'cli broadcast', 'cli base', 'cli operations', 'manage'],
  },
  { name: 'cli', files: /^cli\//, mayImport: ['cli', 'cli commands', 'cli base', 'cli operations'] },

  // This machine's cloud.
  {
    name: 'local base',
    files: /^local\/(aws-environment|clock|json|listen-locally|local-error|run-folder)\.ts$/,
    mayImport: ['local base'],
  },
  { name: 'local template', files: /^local\/template\//, mayImport: ['local template', 'local base'] },
  { name: 'local aws protocol', files: /^local\/emulators\/aws-json-server\.ts$/, mayImport: ['local base'] },
  {
    name: 'local sqs',
    files: /^local\/emulators\/sqs\//,
    mayImport: ['local sqs', 'local aws protocol', 'local base'],
  },
  {
    name: 'local emulators',
    files: /^local\/emulators\//,
    mayImport: ['local emulators', 'local sqs', 'local aws protocol', 'local base'],
  },
  { name: 'local functions', files: /^local\/functions\//, mayImport: ['local functions', 'local base'] },
  {
    name: 'local http api',
    files: /^local\/http-api\//,
    mayImport: ['local http api', 'local functions', 'local base', 'cli operations'],
  },
  {
    name: 'local event sources',
    files: /^local\/event-sources\//,
    mayImport: ['local event sources', 'local emulators', 'local sqs', 'local functions', 'local base'],
  },
  {
    name: 'local resources',
    files: /^local\/resources\//,
    mayImport: ['local resources', 'local template', ...LOCAL_SERVICES, 'local base'],
  },
  {
    name: 'local inspector',
    files: /^local\/inspector\//,
    mayImport: ['local inspector', 'local emulators', 'local base', 'cli operations'],
    mayImportTypes: ['sandbox inspector'],
  },
  {
    name: 'local stack',
    files: /^local\/(stack|synthesis)\.ts$/,
    mayImport: ['local resources', 'local template', ...LOCAL_SERVICES, 'local base'],
  },
  {
    name: 'local cloud',
    files: /^local\/(local-cloud|local-sandbox)\.ts$/,
    mayImport: [
      'local cloud',
      'local stack',
      'local inspector',
      'local template',
      ...LOCAL_SERVICES,
      'local base',
      'settings',
      'sandbox',
    ],
  },
  { name: 'local demo', files: /^local\/demo\//, mayImport: ['local demo', 'local', 'local cloud', 'local base'] },
  {
    name: 'local',
    files: /^local\/[^/]+\.ts$/,
    mayImport: ['local', 'local demo', 'local cloud', 'local stack', 'local base'],
  },
];
