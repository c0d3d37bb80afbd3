import leven from 'leven';

/**
 * Returns the name that was probably meant: the one with the smallest edit distance, ignoring case.
 *
 * @returns undefined if no name is close, that is within two edits, or a third of the input's length if that is more.
 */
export function nearestName(written: string, names: readonly string[]): string | undefined {
  const maxEdits = Math.max(2, Math.floor(written.length / 3));
  const [nearest] = names
    .map((name) => ({ name, edits: leven(written.toLowerCase(), name.toLowerCase()) }))
    // A name in which every letter was replaced is not close, however short it is.
    .filter(({ name, edits }) => edits <= maxEdits && edits < name.length)
    .sort((a, b) => a.edits - b.edits);
  return nearest?.name;
}
