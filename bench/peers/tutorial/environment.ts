/** Returns an environment variable. @throws Error if it is not set. */
export const required = (name: string): string => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`The environment variable ${name} is not set.`);
  return value;
};
