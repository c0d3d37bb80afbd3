import { createServer, Server } from 'node:net';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { listenLocally } from '../../../../local/base/listen-locally.ts';
import { ANY_PORTS, choosePorts, DEFAULT_PORT, type LocalPorts } from '../../../../local/base/local-ports.ts';

/** The nine ports from a port on, in the order of the servers. */
const nine = (port: number): LocalPorts => ({
  console: port,
  webhook: port + 1,
  managementApi: port + 2,
  queues: port + 3,
  tables: port + 4,
  secrets: port + 5,
  eventBus: port + 6,
  scheduler: port + 7,
  cloudWatch: port + 8,
});

const take = async (port: number): Promise<void> => {
  const server = await listenLocally(createServer(), port);
  onTestFinished(() => server.close());
};

describe('the ports of a run', () => {
  let usual: LocalPorts;
  // Another run may have the default ports.
  beforeEach(async () => {
    usual = (await choosePorts()).ports;
  });

  it('are the same from start to start', async () => {
    expect((await choosePorts()).ports).toEqual(usual);
    expect(usual).toEqual(nine(usual.console));
    expect([usual.console >= DEFAULT_PORT, usual.console % 10]).toEqual([true, 0]);
  });

  it('move together if one of them is taken, and a sentence says so', async () => {
    await take(usual.scheduler);

    const { ports, notices } = await choosePorts();

    expect(ports.console).toBeGreaterThan(usual.console);
    expect(ports).toEqual(nine(ports.console));
    expect(notices).toEqual([
      `Some of the ports 4760 to 4768 are in use, so this run uses ${ports.console} to ${ports.console + 8}.`,
    ]);
  });

  it('start with the given port of the console', async () => {
    expect(await choosePorts(usual.console)).toEqual({ ports: nine(usual.console), notices: [] });
  });

  it('differ for a server whose port is taken, and a sentence says so', async () => {
    await take(usual.webhook);
    await take(usual.queues);

    const { ports, notices } = await choosePorts(usual.console);

    expect(ports).toEqual({ ...nine(usual.console), webhook: 0, queues: 0 });
    expect(notices).toEqual([
      `Port ${usual.webhook} is already in use, so the webhook gets another one.`,
      `Port ${usual.queues} is already in use, so Amazon SQS gets another one.`,
    ]);
  });

  it("are refused if the console's is taken", async () => {
    await take(usual.console);

    await expect(choosePorts(usual.console)).rejects.toThrow(
      `Port ${usual.console} on 127.0.0.1 is already in use; choose another port with --port.`,
    );
  });

  it('are refused with the reason if a user must not use them', async () => {
    vi.spyOn(Server.prototype, 'listen').mockImplementation(function (this: Server) {
      this.emit('error', new Error('listen EACCES: permission denied 127.0.0.1:80'));
      return this;
    });
    onTestFinished(() => {
      vi.restoreAllMocks();
    });

    await expect(choosePorts(80)).rejects.toThrow(
      'Port 80 on 127.0.0.1 needs more permissions than you have; choose another port with --port.',
    );
  });

  it('are any free ones with 0', async () => {
    expect(await choosePorts(0)).toEqual({ ports: ANY_PORTS, notices: [] });
  });
});
