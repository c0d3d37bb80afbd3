import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Clock, Randomness, Sleep } from '../ports.ts';

export const systemClock: Clock = { now: () => new Date().toISOString() };

export const systemRandomness: Randomness = { newId: () => randomUUID(), random: () => Math.random() };

export const sleep: Sleep = (ms) => setTimeout(ms);
