import { createServer } from 'node:net';
import { listenLocally } from './listen-locally.ts';
import { LocalError, messageOf } from './local-error.ts';

/** The servers of a run, in the order of their ports. Programs and shells may keep their addresses. */
const SERVERS = {
  console: 'the console',
  webhook: 'the webhook',
  managementApi: 'the management API',
  queues: 'Amazon SQS',
  tables: 'DynamoDB',
  secrets: 'Secrets Manager',
  eventBus: 'EventBridge',
  scheduler: 'EventBridge Scheduler',
  cloudWatch: 'CloudWatch',
} as const;

type ServerName = keyof typeof SERVERS;

/** The port of each server of a run. 0 is any free port. */
export type LocalPorts = Readonly<Record<ServerName, number>>;

/**
 * The console's port. Few programs use 4760 to 4768, operating systems do not assign them to outgoing connections, and
 * browsers block none of them.
 *
 * Source: https://fetch.spec.whatwg.org/#port-blocking
 */
export const DEFAULT_PORT = 4760;

const COUNT = Object.keys(SERVERS).length;
/** The highest port for the console that leaves enough ports for the other servers. */
export const MAX_PORT = 65_536 - COUNT;

/** How far apart the ports of runs at the same time are, and how many runs get ports that stay the same. */
const DISTANCE = 10;
const RUNS = 10;

const portsOf = (portAt: (index: number) => number): LocalPorts => ({
  console: portAt(0),
  webhook: portAt(1),
  managementApi: portAt(2),
  queues: portAt(3),
  tables: portAt(4),
  secrets: portAt(5),
  eventBus: portAt(6),
  scheduler: portAt(7),
  cloudWatch: portAt(8),
});

const portsFrom = (port: number): LocalPorts => portsOf((index) => port + index);

/** Any free port for each server. */
export const ANY_PORTS = portsOf(() => 0);

/** The ports that a run can use, and sentences about those that differ from the ones that it would usually use. */
export interface ChosenPorts {
  readonly ports: LocalPorts;
  readonly notices: readonly string[];
}

/**
 * Chooses ports that stay the same from start to start as long as they are free.
 *
 * @param port The console's port, or 0 for any free ports. @default 4760, or the first of 4770, 4780, … that is free with
 * the eight after it
 * @throws LocalError if the given port is in use.
 */
export const choosePorts = async (port?: number): Promise<ChosenPorts> => {
  if (port === 0) return { ports: ANY_PORTS, notices: [] };
  if (port === undefined) return chooseDefaultPorts();
  const taken = await takenPorts(port);
  const [first] = taken;
  if (first?.name === 'console') {
    throw new LocalError(`Port ${port} on 127.0.0.1 ${first.reason}; choose another port with --port.`);
  }
  const ports = portsFrom(port);
  return {
    ports: { ...ports, ...Object.fromEntries(taken.map(({ name }) => [name, 0])) },
    notices: taken.map(({ name, reason }) => `Port ${ports[name]} ${reason}, so ${SERVERS[name]} gets another one.`),
  };
};

const chooseDefaultPorts = async (): Promise<ChosenPorts> => {
  const usual = `Some of the ports ${DEFAULT_PORT} to ${DEFAULT_PORT + COUNT - 1} are in use, so this run uses`;
  for (let port = DEFAULT_PORT; port < DEFAULT_PORT + RUNS * DISTANCE; port += DISTANCE) {
    if ((await takenPorts(port)).length > 0) continue;
    const notices = port === DEFAULT_PORT ? [] : [`${usual} ${port} to ${port + COUNT - 1}.`];
    return { ports: portsFrom(port), notices };
  }
  return { ports: ANY_PORTS, notices: [`${usual} other free ports.`] };
};

interface TakenPort {
  readonly name: ServerName;
  /** The rest of a sentence about the port. */
  readonly reason: string;
}

/** Returns the ports that cannot be used, in the order of the servers. */
const takenPorts = async (port: number): Promise<readonly TakenPort[]> => {
  const ports = portsFrom(port);
  const names = Object.keys(SERVERS).filter((name): name is ServerName => Object.hasOwn(SERVERS, name));
  const reasons = await Promise.all(names.map((name) => whyTaken(ports[name])));
  return names.flatMap((name, index) => {
    const reason = reasons[index];
    return reason === undefined ? [] : [{ name, reason }];
  });
};

const whyTaken = async (port: number): Promise<string | undefined> => {
  try {
    const listening = await listenLocally(createServer(), port);
    await listening.close();
    return undefined;
  } catch (error) {
    const message = messageOf(error);
    if (message.includes('EADDRINUSE')) return 'is already in use';
    return message.includes('EACCES') ? 'needs more permissions than you have' : 'cannot be used';
  }
};
