const UNITS = [
  ['d', 24 * 60 * 60 * 1000],
  ['h', 60 * 60 * 1000],
  ['min', 60 * 1000],
] as const;

/** Writes a duration in its two largest units, such as `3 d 2 h`, `5 min 10 s`, `12.5 s`, or `340 ms`. */
export const humanTime = (ms: number): string => {
  if (ms < 0) return `-${humanTime(-ms)}`;
  if (ms < 1000) return `${ms} ms`;
  if (ms < 60_000) return `${Math.floor(ms) / 1000} s`;
  const [unit, size] = UNITS.find(([, unitMs]) => ms >= unitMs) ?? UNITS[2];
  const [smaller, smallerSize] = [...UNITS, ['s', 1000] as const][UNITS.findIndex(([name]) => name === unit) + 1] ?? [
    's',
    1000,
  ];
  const rest = Math.floor((ms % size) / smallerSize);
  return `${Math.floor(ms / size)} ${unit}${rest > 0 ? ` ${rest} ${smaller}` : ''}`;
};
