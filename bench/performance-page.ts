import type { Report } from './report.ts';
export const pageFiles = (_: readonly Report[]): ReadonlyMap<string, string> => new Map();
