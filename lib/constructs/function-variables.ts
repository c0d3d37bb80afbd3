/**
 * Writes a function's variables as its `environment.ts` reads them: strings unchanged, other values as JSON. Those that
 * are undefined are omitted.
 */
export const functionVariables = <Environment extends object>(values: Environment): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
