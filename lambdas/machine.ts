import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Clock, Pause, Randomness } from './ports.ts';

/** The function's own clock. */
export const machineClock: Clock = { now: () => new Date().toISOString() };

export const machineRandomness: Randomness = { newId: () => randomUUID(), fraction: () => Math.random() };

export const machinePause: Pause = (ms) => wait(ms);
