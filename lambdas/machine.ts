import { randomUUID } from 'node:crypto';
import type { Clock, Randomness } from './ports.ts';

/** The function's own clock. */
export const machineClock: Clock = { now: () => new Date().toISOString() };

export const machineRandomness: Randomness = { newId: () => randomUUID(), fraction: () => Math.random() };
