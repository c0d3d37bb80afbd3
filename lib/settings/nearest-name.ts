import leven from 'leven';

/**
 * Returns the name that was probably meant: the one with the smallest edit distance, in any case.
 *
 * @returns undefined when no name is close: at most two edits, or a third of what was written if that is more.
 */
export function nearestName(written: string, names: readonly string[]): string | undefined {
  const maxEdits = Math.max(2, Math.floor(written.length / 3));
  const [nearest] = names
    .map((name) => ({ name, edits: leven(written.toLowerCase(), name.toLowerCase()) }))
    // Replacing every letter of a short name is no resemblance.
    .filter(({ name, edits }) => edits <= maxEdits && edits < name.length)
    .sort((a, b) => a.edits - b.edits);
  return nearest?.name;
}
