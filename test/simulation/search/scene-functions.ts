import { ACCOUNT, sendRules } from '../../support/builders.ts';
import type { SimulatedBus } from '../world/bus.ts';
import type { InvocationsOptions } from '../world/invocations.ts';
import {
  createManageProcess,
  MANAGE_TIMEOUT_MS,
  type ManageProcessOptions,
  type ManageQueues,
} from '../world/manage-process.ts';
import { createPublishProcess } from '../world/publish-process.ts';
import { type SimulatedPlainQueue, type SimulatedQueue, VISIBILITY_TIMEOUT_SECONDS } from '../world/queues.ts';
import { createReceiveProcess } from '../world/receive-process.ts';
import type { SimulatedSchedules } from '../world/schedules.ts';
import { createSendProcess } from '../world/send-process.ts';
import type { Turns } from '../world/turns.ts';
import type { Consumed, SceneOptions } from './scene-options.ts';

/** The services that the functions of a scene use. */
export interface SceneFunctionsOptions extends Pick<ManageProcessOptions, 'clock' | 'table' | 'chatService'> {
  readonly options: SceneOptions;
  readonly turns: Turns;
  readonly queues: ManageQueues<SimulatedPlainQueue>;
  readonly sends: SimulatedQueue;
  readonly inbound: SimulatedQueue;
  readonly schedules: SimulatedSchedules;
  readonly bus: SimulatedBus;
  /** The access token as Secrets Manager has it. */
  readonly secret: { readonly value: string };
}

const RECEIVE_TIMEOUT_MS = 10_000;

/** Creates what starts the processes of a scene, and the consumers of its queues. */
export const createSceneFunctions = (services: SceneFunctionsOptions) => {
  const { clock, turns, table, queues, sends: fifo, inbound, schedules, chatService, secret, bus, options } = services;
  const isTokenReplaced = options.events?.some(({ writes }) => writes === 'secret') === true;

  const windows = { windowPer: options.windowPer ?? 'user' } as const;

  const startPublish = (name: string) => {
    const mutation = options.createMutation?.().publish;
    return createPublishProcess({
      name,
      turns,
      bus,
      publishFailures: queues.publishFailures,
      content: true,
      ...(mutation && { mutation }),
    });
  };
  /** Reads the secret once per process, and again when the chat service refuses the token. */
  const tokenOf = (process: string) => {
    let cached: string | undefined;
    const read = (label: string) =>
      turns.call({
        process,
        label,
        perform: () => secret.value,
        canEndProcess: false,
        touches: () => ({ reads: ['secret'], writes: [] }),
      });
    // While nothing replaces it, it does not matter when it is read.
    if (!isTokenReplaced) return { read: async () => secret.value, refresh: async () => secret.value };
    return {
      read: async () => (cached ??= await read('read the secret')),
      refresh: async () => (cached = await read('read the secret again')),
    };
  };
  const startManage = (name: string) => {
    const mutation = options.createMutation?.().manage;
    return createManageProcess({
      name,
      clock,
      turns,
      table,
      queues,
      schedules,
      chatService,
      accessToken: tokenOf(name),
      account: ACCOUNT,
      ...(options.rules && { rules: { operators: options.rules.operators } }),
      ...(mutation && { mutation }),
    });
  };
  const startReceive = (name: string, aheadMs = 0) => {
    const mutation = options.createMutation?.().receive;
    return createReceiveProcess({
      name,
      clock,
      aheadMs,
      turns,
      table,
      queue: inbound,
      ...windows,
      ...(mutation && { mutation }),
    });
  };
  const startSend = (name: string) => {
    const mutation = options.createMutation?.().send;
    return createSendProcess({
      name,
      clock,
      turns,
      table,
      queue: fifo,
      schedules,
      chatService,
      accessToken: tokenOf(name),
      account: ACCOUNT,
      rules: sendRules({ clientPayload: 'all', ...options.rules }),
      ...windows,
      random: options.random ?? (() => 0),
      answerMs: () => 0,
      ...(mutation && { mutation }),
    });
  };
  const shared = { clock, turns, batchSize: 1 };
  const consumers: Readonly<Record<Consumed, InvocationsOptions>> = {
    send: {
      ...shared,
      ...(options.batchSize && { batchSize: options.batchSize }),
      queue: fifo,
      concurrency: 3,
      limitMs: VISIBILITY_TIMEOUT_SECONDS * 1000 - 1000,
      prefix: 'send',
      start: startSend,
    },
    inbound: {
      ...shared,
      queue: inbound,
      concurrency: 5,
      limitMs: RECEIVE_TIMEOUT_MS,
      timeoutMs: RECEIVE_TIMEOUT_MS,
      prefix: 'drain',
      start: (name) => startReceive(name),
    },
    erasures: {
      ...shared,
      queue: queues.erasures,
      concurrency: 2,
      limitMs: MANAGE_TIMEOUT_MS,
      timeoutMs: MANAGE_TIMEOUT_MS,
      prefix: 'erase',
      start: startManage,
    },
  };
  return { startManage, startReceive, startPublish, consumers };
};
