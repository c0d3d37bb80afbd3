const UNITS: readonly (readonly [name: string, seconds: number])[] = [
  ['d', 86_400],
  ['h', 3_600],
  ['min', 60],
];

/** Returns a duration in its largest whole unit: `42 s`, `5 min`, `3 h`, or `2 d`. */
export const formatRoughly = (ms: number): string => {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const unit = UNITS.find(([, size]) => seconds >= size);
  return unit === undefined ? `${seconds} s` : `${Math.floor(seconds / unit[1])} ${unit[0]}`;
};
